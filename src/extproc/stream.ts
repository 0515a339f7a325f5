// Step 12: stream. From service.ts. To head.ts.
// One ext_proc stream: messages in, answers out in the same order, each RequestHeaders message with a
// verdict of its own. What ends a stream without a verdict is gRPC trailers, never a reset, and
// never OK: Envoy would take that for a yes. Owned by the transport; one object per stream.
import {
  Code,
  faultVerdict,
  headersTooLarge,
  invalidHost,
  type LeaveReason,
  TIMER_MS_MAX,
  type Verdict,
} from "../engine/mod.ts";
import { WireError } from "../wire/error.ts";
import { kindName, RequestKind } from "../wire/ext_proc.ts";
import { emptyReply } from "../wire/ext_proc_reply.ts";
import type { AskingStream, Desk } from "./desk.ts";
import { Exchange, type ExchangeOwner } from "./exchange.ts";
import { type Head, readHead } from "./head.ts";
import { MESSAGE_BYTES_MAX } from "./limits.ts";
import type { ServerStream, StreamListener } from "./port.ts";
import { shownHost } from "./shown.ts";
import { Turns } from "./turns.ts";

/** Of a message that was not read. */
const NO_HEAD: Head = { host: "", shownPath: "", trace: undefined };

export class ProcessStream implements StreamListener, ExchangeOwner, AskingStream {
  older: AskingStream | undefined;
  newer: AskingStream | undefined;
  readonly #desk: Desk;
  readonly #stream: ServerStream;
  /** Kept only for a deadline, which counts from here. */
  readonly #openedMs: number;
  /** Requests without a written answer. */
  readonly #turns = new Turns();
  /** A request has come. */
  #asked = false;
  #halfClosed = false;
  /** Nothing can be written any more: we ended it, or it is gone. */
  #over = false;
  #warned = false;
  /** Answers are being written; a verdict that comes meanwhile waits for its turn. */
  #writing = false;

  constructor(desk: Desk, stream: ServerStream) {
    this.#desk = desk;
    this.#stream = stream;
    this.#openedMs = stream.timeoutMs === undefined ? 0 : desk.clock.now();
  }

  message(bytes: Uint8Array): void {
    if (this.#over) return;
    const { scan } = this.#desk;
    try {
      scan.scan(bytes);
      if (scan.kind === RequestKind.REQUEST_HEADERS) this.#request();
      else this.#other(scan.kind);
    } catch (error) {
      if (error instanceof WireError) this.#undecodable(error.message);
      else this.#fault(error);
    }
  }

  /** Nobody knows what it was: the first one is the request, a later one is refused and no request. */
  tooLarge(): void {
    if (this.#over) return;
    if (!this.#asked) return this.#answer(NO_HEAD, "", headersTooLarge());
    this.#desk.observer.warn?.("ext_proc message too large", `above ${MESSAGE_BYTES_MAX} bytes`);
    this.#inTurn(this.#desk.replies.of(headersTooLarge()));
  }

  halfClosed(): void {
    this.#halfClosed = true;
    this.#endWhenDone();
  }

  closed(): void {
    this.#over = true;
    this.#desk.streamClosed();
    this.#abandon("canceled");
  }

  /** A verdict has come; written now, or when those before it are. */
  settled(exchange: Exchange): void {
    try {
      exchange.endMs = this.#desk.clock.now();
      this.#write();
    } catch (error) {
      this.#fault(error);
    }
  }

  /** The end of the process: nothing more is waited for. */
  reset(): void {
    if (this.#over) return;
    this.#over = true;
    this.#abandon("reset");
    this.#stream.reset();
  }

  #request(): void {
    const { clock, scan, hosts, engine } = this.#desk;
    const head = readHead(scan, this.#stream);
    const { host, trace } = head;
    if (scan.tooLarge) return this.#answer(head, shownHost(host), headersTooLarge());
    const actor = hosts.read(host);
    if (typeof actor === "string") {
      const shown = shownHost(host);
      return this.#answer(head, shown, invalidHost(shown, actor));
    }
    const nowMs = clock.now();
    // A host that names an actor has nothing to hide or escape.
    const exchange = new Exchange(this, nowMs, head, host, actor);
    if (!this.#add(exchange)) return;
    exchange.pending = engine.ask(actor, exchange, { trace, deadlineMs: this.#deadlineMs(nowMs) });
    if (this.#over) exchange.pending.leave("canceled");
  }

  /** A request that never gets to the engine. */
  #answer(head: Head, host: string, verdict: Verdict): void {
    const exchange = new Exchange(this, this.#desk.clock.now(), head, host, undefined);
    if (this.#add(exchange)) exchange.verdict(verdict);
  }

  /** What is left of the stream's `grpc-timeout`. */
  #deadlineMs(nowMs: number): number | undefined {
    const { timeoutMs } = this.#stream;
    if (timeoutMs === undefined) return undefined;
    return Math.min(TIMER_MS_MAX, Math.max(0, this.#openedMs + timeoutMs - nowMs));
  }

  /** A message that asks for no verdict gets an empty answer, in its turn. */
  #other(kind: RequestKind): void {
    const reply = emptyReply(kind);
    if (reply === undefined) return this.#undecodable("Cannot read ProcessingRequest: no kind");
    if (!this.#warned) {
      this.#warned = true;
      this.#desk.observer.warn?.("unexpected ext_proc message", kindName(kind));
    }
    this.#inTurn(reply);
  }

  /** An answer that nobody waits for or is told of. */
  #inTurn(reply: Uint8Array): void {
    if (this.#turns.first === undefined) this.#stream.send(reply);
    else if (this.#mayWait()) this.#turns.addBehind(reply);
  }

  #add(exchange: Exchange): boolean {
    if (!this.#mayWait()) return false;
    this.#asked = true;
    if (this.#turns.first === undefined) this.#desk.streamAsked(this);
    this.#turns.add(exchange);
    this.#desk.requestArrived();
    return true;
  }

  #mayWait(): boolean {
    if (!this.#turns.full) return true;
    const { waiting } = this.#turns;
    this.#desk.observer.warn?.("too many ext_proc messages on one stream", String(waiting));
    this.#end(Code.RESOURCE_EXHAUSTED, "too many messages without an answer");
    return false;
  }

  /** Writes every answer whose turn it is. */
  #write(): void {
    if (this.#over || this.#writing) return;
    this.#writing = true;
    try {
      for (let one = this.#turns.first; one?.settledAs; one = this.#turns.first) {
        const reply = this.#desk.replies.of(one.settledAs);
        this.#shift();
        this.#deliver(one, one.settledAs, reply);
      }
    } finally {
      this.#writing = false;
    }
    this.#endWhenDone();
  }

  #deliver(one: Exchange, verdict: Verdict, reply: Uint8Array): void {
    let delivered = false;
    try {
      this.#stream.send(reply);
      delivered = !this.#over;
      one.behind?.forEach((other) => this.#stream.send(other));
    } finally {
      this.#report(one, verdict, delivered);
    }
  }

  #shift(): void {
    this.#turns.shift();
    if (this.#turns.first === undefined) this.#desk.streamAnswered(this);
  }

  #endWhenDone(): void {
    if (!this.#halfClosed || this.#over || this.#turns.first !== undefined) return;
    this.#over = true;
    this.#stream.end(Code.OK);
  }

  #undecodable(why: string): void {
    this.#desk.observer.warn?.("ext_proc message refused", why);
    this.#end(Code.INVALID_ARGUMENT, "undecodable ProcessingRequest");
  }

  #fault(error: unknown): void {
    this.#desk.observer.bug?.(`an ext_proc stream failed: ${error}`);
    this.#end(Code.INTERNAL, "internal error");
  }

  /** The stream cannot go on. No client has left and no shutdown is over: who waits, failed. */
  #end(code: number, message: string): void {
    if (this.#over) return;
    this.#over = true;
    this.#abandon("fault");
    this.#stream.end(code, message);
  }

  /** Nobody reads the answers any more: who waits leaves, and each is recorded once. */
  #abandon(reason: LeaveReason): void {
    for (let one = this.#turns.first; one !== undefined; one = this.#turns.first) {
      one.pending?.leave(reason);
      if (one.settledAs === undefined) one.endMs = this.#desk.clock.now();
      this.#shift();
      this.#report(one, one.settledAs ?? faultVerdict(), false);
    }
  }

  #report(exchange: Exchange, verdict: Verdict, delivered: boolean): void {
    const { observer } = this.#desk;
    this.#desk.requestEnded();
    try {
      observer.request?.(exchange.record(verdict, delivered));
    } catch (error) {
      observer.bug?.(`an observer failed: ${error}`);
    }
  }
}
