// Step 3: board. From host.ts. To flight.ts.  (Step 9, forgetting, ends here too.)
// The flights that can be joined, by actor. Bounded: every flight costs memory and an attempt.
// A table of its own, not a Map: a flight comes and goes with almost every request, and a Map drops
// its table every hundred or so; a table that is dropped refers to its successor, so once one has
// become old all later ones survive with the flights in them until the next full collection.
import type { Flight } from "./flight.ts";
import type { ActorRef } from "./model.ts";

const START_SLOTS = 256;
/** Larger tables are given back when they are nearly empty; up to here they are kept. */
const KEPT_SLOTS = 4096;
const FNV_PRIME = 0x01000193;
const SLASH = 0x2f;

/**
 * A number for an actor; others may share it. Which ones depends on `seed`: clients choose the names
 * of actors, and must not be able to choose those that all want one slot.
 */
export function actorHash({ atespace, actorId }: ActorRef, seed: number): number {
  let hash = hashed(seed, actorId);
  hash = Math.imul(hash ^ SLASH, FNV_PRIME);
  hash = hashed(hash, atespace);
  // The low bits choose the slot: let the high ones have a say.
  return hash ^ (hash >>> 15);
}

function hashed(hash: number, text: string): number {
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME);
  }
  return hash;
}

/** `C` is the caller of caller.ts. Open addressing, deletion by shifting back, at most half full. */
export class Board<C> {
  readonly max: number;
  readonly #seed: number;
  #slots: (Flight<C> | undefined)[] = slots(START_SLOTS);
  #size = 0;
  #began = 0;

  /** @param max flights at once; @param seed any 32 bits that nobody knows. */
  constructor(max: number, seed: number) {
    this.max = max;
    this.#seed = seed;
  }

  get size(): number {
    return this.#size;
  }

  /** Slots of the table now: it grows, and gives back what is far too much. */
  get room(): number {
    return this.#slots.length;
  }

  /** No further flight fits. */
  get full(): boolean {
    return this.#size >= this.max;
  }

  hashOf(actor: ActorRef): number {
    return actorHash(actor, this.#seed);
  }

  /** The flight a caller may join. `hash` is the actor's. */
  find(actor: ActorRef, hash: number): Flight<C> | undefined {
    const mask = this.#slots.length - 1;
    for (let at = hash & mask;; at = (at + 1) & mask) {
      const flight = this.#slots[at];
      if (flight === undefined || (flight.hash === hash && same(flight.actor, actor))) {
        return flight;
      }
    }
  }

  /** There is none of its actor. */
  add(flight: Flight<C>): void {
    if (2 * ++this.#size > this.#slots.length) this.#resize(2 * this.#slots.length);
    flight.nth = ++this.#began;
    this.#place(flight);
  }

  /** It cannot be joined any more; the next request of this actor starts a new one. */
  forget(flight: Flight<C>): void {
    const flights = this.#slots;
    const mask = flights.length - 1;
    let free = flight.hash & mask;
    while (flights[free] !== flight) {
      if (flights[free] === undefined) return;
      free = (free + 1) & mask;
    }
    for (let at = (free + 1) & mask;; at = (at + 1) & mask) {
      const next = flights[at];
      if (next === undefined) break;
      // What would not be found past a free slot moves into it.
      if (((at - next.hash) & mask) < ((at - free) & mask)) continue;
      flights[free] = next;
      free = at;
    }
    flights[free] = undefined;
    this.#size--;
    if (flights.length > KEPT_SLOTS && 16 * this.#size < flights.length) {
      this.#resize(flights.length / 4);
    }
  }

  /** In the order in which they began. */
  all(): Flight<C>[] {
    const all = this.#slots.filter((flight) => flight !== undefined);
    return all.sort((a, b) => a.nth - b.nth);
  }

  #place(flight: Flight<C>): void {
    const mask = this.#slots.length - 1;
    let at = flight.hash & mask;
    while (this.#slots[at] !== undefined) at = (at + 1) & mask;
    this.#slots[at] = flight;
  }

  #resize(count: number): void {
    const before = this.#slots;
    this.#slots = slots(count);
    for (const flight of before) {
      if (flight !== undefined) this.#place(flight);
    }
  }
}

function same(one: ActorRef, other: ActorRef): boolean {
  return one.actorId === other.actorId && one.atespace === other.atespace;
}

function slots<T>(count: number): (T | undefined)[] {
  return new Array<T | undefined>(count).fill(undefined);
}
