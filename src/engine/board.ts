// Step 3: board. From host.ts. To flight.ts.  (Step 9, forgetting, ends here too.)
// The flights that can be joined, by actor. Bounded: every flight costs memory and an attempt.
import type { Flight } from "./flight.ts";
import type { ActorRef } from "./model.ts";

/** Labels never contain a slash, so no two actors share a key. */
export function flightKey(actor: ActorRef): string {
  return `${actor.atespace}/${actor.actorId}`;
}

/** `C` is the caller of caller.ts. */
export class Board<C> {
  readonly max: number;
  readonly #flights: Map<string, Flight<C>> = new Map();

  /** @param max flights at once. */
  constructor(max: number) {
    this.max = max;
  }

  get size(): number {
    return this.#flights.size;
  }

  /** No further flight fits. */
  get full(): boolean {
    return this.#flights.size >= this.max;
  }

  /** The flight a caller may join. */
  find(key: string): Flight<C> | undefined {
    return this.#flights.get(key);
  }

  add(flight: Flight<C>): void {
    this.#flights.set(flight.key, flight);
  }

  /** It cannot be joined any more; the next request of this actor starts a new one. */
  forget(flight: Flight<C>): void {
    if (this.#flights.get(flight.key) === flight) this.#flights.delete(flight.key);
  }

  all(): IterableIterator<Flight<C>> {
    return this.#flights.values();
  }
}
