// What the owner of a client connection is told, each once: that it takes no more calls, that it is
// gone, and faults. Nothing before the connection has been handed out.
import type { DialOptions } from "./types.ts";

export class ClientEvents {
  readonly #options: DialOptions;
  #handedOut = false;
  #toldClosed = false;

  constructor(options: DialOptions) {
    this.#options = options;
  }

  /** The owner has the connection now. */
  handOut(): void {
    this.#handedOut = true;
  }

  draining(why: string): void {
    this.#tell("onDraining", this.#options.onDraining, why);
  }

  closed(why: string): void {
    if (this.#toldClosed) return;
    this.#toldClosed = true;
    this.#tell("onClosed", this.#options.onClosed, why);
  }

  fault(what: string, error: unknown): void {
    this.#options.onFault?.(`gRPC client ${what}`, error);
  }

  #tell(what: string, tell: ((why: string) => void) | undefined, why: string): void {
    try {
      if (this.#handedOut) tell?.(why);
    } catch (error) {
      this.fault(what, error);
    }
  }
}
