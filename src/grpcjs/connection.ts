// A client connection over grpc-js: gives calls their streams, lets them wait when the peer has no
// more, and says when it takes none. Handed out by dial.ts.
import type {
  ClientState,
  Clock,
  PendingUnary,
  UnaryConnection,
  UnaryDialOptions,
  UnaryRequest,
  UnarySink,
} from "../h2/grpc/types.ts";
import type { Link } from "./link.ts";
import { type CallHost, UnaryCall } from "./unary_call.ts";

const CLOSE_MS = 500;

export class Connection implements UnaryConnection, CallHost {
  readonly clock: Clock;
  readonly #link: Link;
  readonly #options: UnaryDialOptions;
  readonly #running = new Set<UnaryCall>();
  /** In order. */
  readonly #waiting = new Set<UnaryCall>();
  /** Why it takes no more calls. */
  #why = "";
  #toldClosed = false;
  #isClosing = false;
  #closing: Promise<void> | undefined;

  /** `link` is ready. */
  constructor(link: Link, options: UnaryDialOptions) {
    this.clock = options.clock;
    this.#link = link;
    this.#options = options;
  }

  get state(): ClientState {
    if (this.#isClosing || this.#link.isClosed) return "closed";
    return this.#link.isReady ? "open" : "draining";
  }

  get active(): number {
    return this.#running.size;
  }

  get queued(): number {
    return this.#waiting.size;
  }

  get streamsMax(): number {
    return this.#link.streamsMax;
  }

  get headerListBytes(): number {
    return this.#link.headerListBytes;
  }

  call(request: UnaryRequest, sink: UnarySink): PendingUnary {
    const call = new UnaryCall(request, sink, this);
    this.#waiting.add(call);
    if (this.state === "open") this.startWaiting();
    else this.#giveBackWaiting("the connection takes no calls");
    return call;
  }

  drain(): void {
    if (this.state !== "open") return;
    this.#why = "drained";
    this.#link.leave();
    this.#giveBackWaiting(this.#why);
  }

  close(): Promise<void> {
    return this.#closing ??= this.#close();
  }

  /** There may be room for calls that wait. */
  startWaiting(): void {
    for (const call of this.#waiting) {
      if (this.state !== "open" || this.active >= this.streamsMax) return;
      this.#waiting.delete(call);
      this.#running.add(call);
      call.start(this.#link.client);
    }
  }

  /** It takes no more calls; the link said why. */
  gone(why: string): void {
    this.#why = why;
    if (!this.#toldClosed) this.tell("onDraining", () => this.#options.onDraining?.(why));
    this.#giveBackWaiting(why);
  }

  /** The link is closed. */
  closed(): void {
    if (this.#toldClosed) return;
    this.#toldClosed = true;
    this.tell("onClosed", () => this.#options.onClosed?.(this.#why || "connection lost"));
  }

  over(call: UnaryCall): void {
    this.#waiting.delete(call);
    if (this.#running.delete(call)) this.startWaiting();
  }

  tell(what: string, act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#options.onFault?.(`gRPC client ${what}`, error);
    }
  }

  async #close(): Promise<void> {
    this.#isClosing = true;
    this.#why ||= "closed";
    this.closed();
    for (const call of [...this.#waiting, ...this.#running]) call.lose("closed");
    this.#waiting.clear();
    this.#running.clear();
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = this.clock.after(CLOSE_MS, resolve);
    await Promise.race([this.#link.cut(), late]);
    timer.cancel();
  }

  /** Never from within the caller's own call. */
  #giveBackWaiting(why: string): void {
    const calls = [...this.#waiting];
    this.#waiting.clear();
    for (const call of calls) queueMicrotask(() => call.lose(why));
  }
}
