// Client, control plane and workers of the soak live in this process: when it stands still, because
// the machine is busy with something else, they all do. That is not the router's doing, so it is
// written down as trouble.
import type { Trouble } from "./faults.ts";

const EVERY_MS = 50;
const STALL_MS = 500;
/** A budget that ran while nobody answered. */
const AFTERMATH_MS = 3_000;

/** Watches from its making on. */
export class Stalls {
  readonly found: Trouble[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    this.#arm();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #arm(): void {
    const fromMs = performance.now();
    this.#timer = setTimeout(() => {
      const nowMs = performance.now();
      if (nowMs - fromMs > STALL_MS) {
        this.found.push({ what: "stall", fromMs, toMs: nowMs + AFTERMATH_MS });
      }
      this.#arm();
    }, EVERY_MS);
  }
}
