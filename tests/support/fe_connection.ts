// FE for loads: one HTTP/2 connection of raw frames, a stream per request, reset with CANCEL as soon
// as its verdict has come, as Envoy does it, or before, as Envoy does it when its client leaves.
// Tens of thousands of streams cost it little; ext_proc_peer.ts is for tests that look closely.
import {
  ACK,
  callBlock,
  callHeaders,
  concat,
  END_STREAM,
  Frame,
  frame,
  FrameReader,
  preface,
  resetFrame,
  windowFrame,
} from "../../bench/lib/h2_frames.ts";
import { type HeaderList, PROCESS_PATH, requestHeadersBytes } from "./ext_proc_messages.ts";
import { grpcFrame } from "./ext_proc_peer.ts";

/** `left`: reset by us before a verdict. `lost`: the server ended it without one. */
export type FeEnd = "routed" | "denied" | "left" | "lost";

export interface FeStream {
  readonly end: Promise<FeEnd>;
  /** The client leaves. Nothing happens once it has ended. */
  leave(): void;
}

/** How a stream whose verdict has come is ended: Envoy's default, or its runtime guard. */
export type Ending = "reset" | "half-close";

/** First field of a ProcessingResponse, behind the gRPC prefix: HeadersResponse or immediate. */
const PREFIX_BYTES = 5;
const HEADERS_RESPONSE_TAG = 0x0a;
const IMMEDIATE_RESPONSE_TAG = 0x3a;
const FIRST_WINDOW = 65_535;
const CREDIT_AT = 32_768;
const FRAME_BYTES_MAX = 16_384;
const BLOCK = callBlock(PROCESS_PATH);

export class FeConnection implements AsyncDisposable {
  readonly #conn: Deno.TcpConn;
  readonly #ending: Ending;
  readonly #open = new Map<number, (end: FeEnd) => void>();
  readonly #ready = Promise.withResolvers<void>();
  readonly #reading: Promise<void>;
  #nextId = 1;
  /** What we may send, and what waits for it. */
  #window = FIRST_WINDOW;
  #held: Uint8Array[] = [];
  /** Bytes of DATA the server has not been given back. */
  #owed = 0;
  #out: Uint8Array[] = [];
  #writing = false;
  #gone = false;

  private constructor(conn: Deno.TcpConn, ending: Ending) {
    this.#conn = conn;
    this.#ending = ending;
    this.#send(preface());
    this.#reading = this.#read();
  }

  /** Resolves when the server has said its SETTINGS. */
  static async connect(port: number, ending: Ending = "reset"): Promise<FeConnection> {
    const conn = await Deno.connect({ hostname: "127.0.0.1", port });
    conn.setNoDelay(true);
    const made = new FeConnection(conn, ending);
    await made.#ready.promise;
    return made;
  }

  /** Streams that have not ended. */
  get open(): number {
    return this.#open.size;
  }

  ask(headers: HeaderList): FeStream {
    if (this.#gone) return { end: Promise.resolve("lost"), leave() {} };
    const id = this.#nextId;
    this.#nextId += 2;
    this.#send(callHeaders(id, BLOCK));
    const message = grpcFrame(requestHeadersBytes(headers));
    for (let at = 0; at < message.length; at += FRAME_BYTES_MAX) {
      this.#held.push(frame(Frame.DATA, 0, id, message.subarray(at, at + FRAME_BYTES_MAX)));
    }
    this.#release();
    const end = new Promise<FeEnd>((resolve) => this.#open.set(id, resolve));
    return {
      end,
      leave: () => {
        if (this.#end(id, "left")) this.#send(resetFrame(id));
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#close();
    await this.#reading;
  }

  #release(): void {
    for (let next = this.#held[0]; next !== undefined; next = this.#held[0]) {
      const bytes = next.length - 9;
      if (bytes > this.#window) return;
      this.#window -= bytes;
      this.#held.shift();
      this.#send(next);
    }
  }

  /** What is sent in one turn of the event loop leaves in one write. */
  #send(bytes: Uint8Array): void {
    this.#out.push(bytes);
    if (this.#writing || this.#gone) return;
    this.#writing = true;
    queueMicrotask(() => this.#flush());
  }

  async #flush(): Promise<void> {
    try {
      while (this.#out.length > 0) {
        const bytes = concat(this.#out);
        this.#out = [];
        for (let sent = 0; sent < bytes.length;) {
          sent += await this.#conn.write(bytes.subarray(sent));
        }
      }
    } catch {
      this.#close();
    }
    this.#writing = false;
  }

  async #read(): Promise<void> {
    const reader = new FrameReader();
    const chunk = new Uint8Array(65_536);
    const take = this.#frame.bind(this);
    for (;;) {
      const count = await this.#conn.read(chunk).catch(() => null);
      if (count === null) break;
      reader.push(chunk.subarray(0, count), take);
    }
    this.#close();
  }

  #frame(type: number, flags: number, id: number, payload: Uint8Array): void {
    switch (type) {
      case Frame.DATA:
        return this.#data(id, payload);
      case Frame.HEADERS:
        if ((flags & END_STREAM) !== 0) this.#end(id, "lost");
        return;
      case Frame.RST_STREAM:
        return void this.#end(id, "lost");
      case Frame.SETTINGS:
        if ((flags & ACK) !== 0) return;
        this.#send(frame(Frame.SETTINGS, ACK, 0, new Uint8Array()));
        return this.#ready.resolve();
      case Frame.PING:
        if ((flags & ACK) === 0) this.#send(frame(Frame.PING, ACK, 0, payload.slice()));
        return;
      case Frame.WINDOW_UPDATE:
        if (id !== 0) return;
        this.#window += new DataView(payload.buffer, payload.byteOffset).getUint32(0);
        return this.#release();
      case Frame.GOAWAY:
        return this.#close();
    }
  }

  #data(id: number, payload: Uint8Array): void {
    this.#owed += payload.length;
    if (this.#owed >= CREDIT_AT) {
      this.#send(windowFrame(0, this.#owed));
      this.#owed = 0;
    }
    if (payload.length <= PREFIX_BYTES || !this.#open.has(id)) return;
    const tag = payload[PREFIX_BYTES];
    const routed = tag === HEADERS_RESPONSE_TAG;
    this.#end(id, routed ? "routed" : tag === IMMEDIATE_RESPONSE_TAG ? "denied" : "lost");
    const reset = this.#ending === "reset";
    this.#send(reset ? resetFrame(id) : frame(Frame.DATA, END_STREAM, id, new Uint8Array()));
  }

  #end(id: number, how: FeEnd): boolean {
    const tell = this.#open.get(id);
    this.#open.delete(id);
    tell?.(how);
    return tell !== undefined;
  }

  #close(): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#conn.close();
    this.#ready.reject(new Error("Cannot connect as Envoy: the server closed"));
    this.#ready.promise.catch(() => {});
    for (const id of [...this.#open.keys()]) this.#end(id, "lost");
  }
}
