// One connection of a page server: head -> answer -> write -> linger, each with its bound. Place in
// the flow: server.ts accepts and counts, the handler answers. Owner: http1.
// A write that the client does not take cannot be cancelled on this runtime, and keeps the
// descriptor after `close` until the client goes: such a connection is `stuck`, and counted.
import type { Clock, Timer } from "../engine/mod.ts";
import { headLength, type HttpRequest, readHead, type Refusal } from "./head.ts";
import type { HttpLimits } from "./limits.ts";
import { type HttpReply, plainReply, replyBytes } from "./reply.ts";

/** What a connection needs of its server. */
export interface ConnectionHost {
  readonly clock: Clock;
  readonly limits: HttpLimits;
  /** Never rejects. `gone`: the client has left before its answer. */
  answer(request: HttpRequest, gone: AbortSignal): Promise<HttpReply>;
  /** May an answer of this length be written, with as many stuck as there are? */
  mayWrite(bytes: number): boolean;
  /** `close` was called; the end of `run` may be far away when the connection is stuck. */
  closed(connection: HttpConnection): void;
}

type Phase = "head" | "answer" | "write" | "linger" | "closed";

const READ_BYTES = 4_096;

export class HttpConnection {
  readonly #conn: Deno.Conn;
  readonly #host: ConnectionHost;
  readonly #gone = new AbortController();
  readonly #ended = Promise.withResolvers<void>();
  #phase: Phase = "head";
  #stuck = false;
  #timer: Timer | undefined;

  constructor(conn: Deno.Conn, host: ConnectionHost) {
    this.#conn = conn;
    this.#host = host;
  }

  /** Nobody waits for anything on it: it may be closed for a newcomer. */
  get idle(): boolean {
    return this.#phase === "head" || this.#phase === "linger";
  }

  get stuck(): boolean {
    return this.#stuck;
  }

  /** From its first byte to its end. Never rejects; stays pending while it is stuck. */
  async run(): Promise<void> {
    const { limits } = this.#host;
    this.#closeAfter(limits.headMs);
    try {
      const request = await this.#readRequest();
      if (request === undefined) return;
      this.#phase = "answer";
      this.#timer?.cancel();
      void this.#discard();
      const reply = "status" in request
        ? plainReply(request.status, `${request.why}\n`)
        : await this.#host.answer(request, this.#gone.signal);
      await this.#send(reply, "status" in request || request.method !== "HEAD");
    } catch {
      // The connection ended under a read or a write.
    } finally {
      this.close();
    }
  }

  /** Idempotent. */
  close(): void {
    if (this.#phase === "closed") return;
    this.#stuck = this.#phase === "write";
    this.#phase = "closed";
    this.#timer?.cancel();
    this.#gone.abort();
    this.#ended.resolve();
    try {
      this.#conn.close();
    } catch {
      // It was closed by its peer.
    }
    this.#host.closed(this);
  }

  #closeAfter(ms: number): void {
    this.#timer?.cancel();
    this.#timer = this.#host.clock.after(ms, () => this.close());
  }

  /** Undefined: the client left before its head was whole. */
  async #readRequest(): Promise<HttpRequest | Refusal | undefined> {
    const decoder = new TextDecoder("latin1");
    const chunk = new Uint8Array(READ_BYTES);
    const { headBytes } = this.#host.limits;
    for (let text = ""; text.length <= headBytes;) {
      const count = await this.#conn.read(chunk);
      if (count === null) return undefined;
      text += decoder.decode(chunk.subarray(0, count));
      const length = headLength(text);
      if (length !== undefined && length <= headBytes) return readHead(text.slice(0, length));
    }
    return { status: 431, why: "request head too large" };
  }

  /** Reads on, so that a client that leaves is noticed, until it ends or sends too much. */
  async #discard(): Promise<void> {
    const chunk = new Uint8Array(READ_BYTES);
    try {
      for (let left = this.#host.limits.strayBytes; left > 0;) {
        const count = await this.#conn.read(chunk);
        if (count === null) break;
        left -= count;
      }
    } catch {
      // Reset by the client, or closed by us.
    }
    this.#clientEnded();
  }

  /** It may have ended its half only, and still want an answer that is about to come. */
  #clientEnded(): void {
    this.#ended.resolve();
    if (this.#phase !== "answer") return;
    this.#gone.abort();
    this.#closeAfter(this.#host.limits.lingerMs);
  }

  async #send(reply: HttpReply, withBody: boolean): Promise<void> {
    if (this.#phase === "closed") return;
    const { limits } = this.#host;
    let bytes = replyBytes(reply, withBody, new Date());
    if (!this.#host.mayWrite(bytes.length)) {
      bytes = replyBytes(plainReply(503, "too many slow readers\n"), withBody, new Date());
    }
    this.#phase = "write";
    this.#closeAfter(limits.writeMs);
    while (bytes.length > 0) bytes = bytes.subarray(await this.#conn.write(bytes));
    if (this.#stuck) return;
    this.#phase = "linger";
    this.#closeAfter(limits.lingerMs);
    await this.#conn.closeWrite();
    await this.#ended.promise;
  }
}
