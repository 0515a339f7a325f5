// One RequestHeaders message from its arrival to its answer: the engine's asker. Owned by stream.ts,
// which keeps them in the order of arrival and writes their answers in that order.
import type { ActorRef, Asker, PendingRequest, RequestRecord, Verdict } from "../engine/mod.ts";
import type { Head } from "./head.ts";

/** Who hears that an exchange has its verdict. Must not throw. */
export interface ExchangeOwner {
  settled(exchange: Exchange): void;
}

export class Exchange implements Asker {
  /** Behind it in the order of arrival. */
  next: Exchange | undefined;
  /** Answers to other messages that came after it and wait for it. */
  behind: Uint8Array[] | undefined;
  /** The engine's handle; undefined before it was asked and when it never is. */
  pending: PendingRequest | undefined;
  /** Undefined while it waits. */
  settledAs: Verdict | undefined;
  /** Monotonic ms of the verdict. */
  endMs = 0;
  /** Monotonic ms of the arrival. */
  readonly startMs: number;
  readonly head: Head;
  /** The host as it may be shown. */
  readonly host: string;
  /** Undefined when the host names none. */
  readonly actor: ActorRef | undefined;
  readonly #owner: ExchangeOwner;

  constructor(
    owner: ExchangeOwner,
    startMs: number,
    head: Head,
    host: string,
    actor: ActorRef | undefined,
  ) {
    this.#owner = owner;
    this.startMs = startMs;
    this.head = head;
    this.host = host;
    this.actor = actor;
  }

  /** From the engine, or from the stream for a request that never gets there. */
  verdict(verdict: Verdict): void {
    if (this.settledAs !== undefined) return;
    this.settledAs = verdict;
    this.#owner.settled(this);
  }

  /** What observers are told. */
  record(verdict: Verdict, delivered: boolean): RequestRecord {
    return {
      startMs: this.startMs,
      endMs: this.endMs,
      host: this.host,
      path: this.head.shownPath,
      actor: this.actor,
      verdict,
      delivered,
      trace: this.head.trace,
    };
  }
}
