// Is this router ready for traffic? Place in the flow: app tells what has come up, /readyz asks.
// Owner: admin. After the start it depends on nothing: a control plane that goes away must not take
// all routers out of the load balancer at once.
import type { Clock, Timer } from "../engine/mod.ts";

export type ReadinessWord = "starting" | "serving" | "draining";

/** How long the start waits for a control-plane connection. */
const CONTROL_PLANE_WAIT_MS = 2_000;

/** Off, then on once, then off for good. */
export class Readiness {
  readonly #onReady: () => void;
  #timer: Timer | undefined;
  #bound = false;
  #control = false;
  #word: ReadinessWord = "starting";

  /** The 2 s begin here. `onReady` is called once, when the word becomes `serving`. */
  constructor(clock: Clock, onReady: () => void = () => {}) {
    this.#onReady = onReady;
    this.#timer = clock.after(CONTROL_PLANE_WAIT_MS, () => this.controlPlaneUp());
  }

  get word(): ReadinessWord {
    return this.#word;
  }

  ready(): boolean {
    return this.#word === "serving";
  }

  /** Every listener is bound. */
  listenersBound(): void {
    this.#bound = true;
    this.#look();
  }

  /** A connection is up (or has been waited for long enough). */
  controlPlaneUp(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#control = true;
    this.#look();
  }

  /** Step 1 of the shutdown. Final. */
  off(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#word = "draining";
  }

  #look(): void {
    if (this.#word !== "starting" || !this.#bound || !this.#control) return;
    this.#word = "serving";
    this.#onReady();
  }
}
