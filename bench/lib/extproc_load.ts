// An Envoy without HTTP/1: opens ext_proc streams on one HTTP/2 connection and takes the verdicts.
// A stream ends as Envoy ends it: with a half-close and our trailers (the runtime guard), or with a
// reset (Envoy's default). Used by the scenarios that need exact numbers of parked streams.
import {
  ACK,
  callBlock,
  callHeaders,
  concat,
  END_STREAM,
  Frame,
  frame,
  FrameReader,
  MAX_CONCURRENT_STREAMS,
  numberAt,
  preface,
  resetFrame,
  setting,
  windowFrame,
} from "./h2_frames.ts";
import { PROCESS_PATH, requestFrame } from "./request_frame.ts";
import { verdictKind } from "./verdict_kind.ts";

/** How one stream ended. */
export type StreamEnd = "routed" | "denied" | "lost";

export interface LoadOptions {
  /** `host:port`. */
  readonly address: string;
  readonly ending: "half-close" | "reset";
}

const FIRST_WINDOW = 65_535;
const CREDIT_AT = 32_768;

export class ExtprocLoad implements AsyncDisposable {
  readonly #conn: Deno.TcpConn;
  readonly #reset: boolean;
  readonly #block = callBlock(PROCESS_PATH);
  /** Streams without a verdict. */
  readonly #open = new Map<number, (end: StreamEnd) => void>();
  /** Streams that count for the server's limit: until both sides have ended them. */
  readonly #active = new Set<number>();
  /** Requests that wait until the server takes another stream. */
  readonly #waiting: { readonly host: string; readonly tell: (end: StreamEnd) => void }[] = [];
  #streamsMax = Infinity;
  readonly #losses = new Map<string, number>();
  readonly #reading: Promise<void>;
  readonly #ready = Promise.withResolvers<void>();
  #nextId = 1;
  #window = FIRST_WINDOW;
  #owed = 0;
  /** DATA that waits for the connection's window. */
  #held: Uint8Array[] = [];
  #out: Uint8Array[] = [];
  #writing = false;
  /** Why the connection is gone; undefined while it is there. */
  #gone: string | undefined;

  private constructor(conn: Deno.TcpConn, { ending }: LoadOptions) {
    this.#conn = conn;
    this.#reset = ending === "reset";
    this.#send(preface());
    this.#reading = this.#read();
  }

  /** Resolves when the server's SETTINGS have come. @throws {Error} when it closes first. */
  static async connect(options: LoadOptions): Promise<ExtprocLoad> {
    const [, hostname = "", port = ""] = /^(.*):(\d+)$/.exec(options.address) ?? [];
    const conn = await Deno.connect({ hostname, port: Number(port) });
    // As Envoy does: otherwise a request behind a parked one waits for the delayed ACK, 40 ms.
    conn.setNoDelay(true);
    const load = new ExtprocLoad(conn, options);
    await load.#ready.promise;
    return load;
  }

  /** Requests without a verdict. */
  get open(): number {
    return this.#open.size + this.#waiting.length;
  }

  /** Sends one request; resolves when its verdict has arrived or its stream is gone. */
  ask(host: string): Promise<StreamEnd> {
    if (this.#gone !== undefined) return Promise.resolve("lost");
    return new Promise((tell) => {
      this.#waiting.push({ host, tell });
      this.#openMore();
    });
  }

  #openMore(): void {
    while (this.#active.size < this.#streamsMax) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      const id = this.#nextId;
      this.#nextId += 2;
      this.#open.set(id, next.tell);
      this.#active.add(id);
      this.#send(callHeaders(id, this.#block));
      this.#held.push(frame(Frame.DATA, 0, id, requestFrame(next.host)));
      this.#release();
    }
  }

  /** Why the connection is gone; undefined while it is there. */
  get gone(): string | undefined {
    return this.#gone;
  }

  /** Why streams ended without a verdict, with how many did. */
  get losses(): ReadonlyMap<string, number> {
    return this.#losses;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#close("done");
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
    if (this.#writing || this.#gone !== undefined) return;
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
    } catch (error) {
      this.#close(String(error));
    }
    this.#writing = false;
  }

  async #read(): Promise<void> {
    const reader = new FrameReader();
    const chunk = new Uint8Array(65_536);
    try {
      for (;;) {
        const count = await this.#conn.read(chunk);
        if (count === null) break;
        reader.push(chunk.subarray(0, count), (...args) => this.#frame(...args));
      }
      this.#close("closed by the server");
    } catch (error) {
      this.#close(String(error));
    }
  }

  #frame(type: number, flags: number, id: number, payload: Uint8Array): void {
    switch (type) {
      case Frame.DATA:
        this.#credit(payload.length);
        if (payload.length > 0) this.#verdict(id, verdictKind(payload) ?? "lost");
        break;
      case Frame.HEADERS:
        if ((flags & END_STREAM) !== 0) this.#over(id, "ended without a message");
        break;
      case Frame.RST_STREAM:
        this.#over(id, `reset with code ${numberAt(payload, 0)}`);
        break;
      case Frame.SETTINGS:
        if ((flags & ACK) !== 0) break;
        this.#streamsMax = setting(payload, MAX_CONCURRENT_STREAMS) ?? this.#streamsMax;
        this.#send(frame(Frame.SETTINGS, ACK, 0, new Uint8Array()));
        this.#ready.resolve();
        break;
      case Frame.PING:
        if ((flags & ACK) === 0) this.#send(frame(Frame.PING, ACK, 0, payload.slice()));
        break;
      case Frame.WINDOW_UPDATE:
        if (id !== 0) break;
        this.#window += numberAt(payload, 0);
        this.#release();
        break;
      case Frame.GOAWAY:
        this.#close(`GOAWAY with code ${numberAt(payload, 4)}`);
        break;
    }
  }

  #verdict(id: number, kind: StreamEnd): void {
    if (!this.#open.has(id)) return;
    this.#end(id, kind);
    const end = this.#reset ? resetFrame(id) : frame(Frame.DATA, END_STREAM, id, new Uint8Array());
    this.#send(end);
    if (this.#reset) this.#over(id, "reset by us");
  }

  /** Both sides have ended it. */
  #over(id: number, how: string): void {
    if (this.#open.has(id)) this.#losses.set(how, (this.#losses.get(how) ?? 0) + 1);
    this.#end(id, "lost");
    this.#active.delete(id);
    this.#openMore();
  }

  #end(id: number, how: StreamEnd): void {
    const tell = this.#open.get(id);
    this.#open.delete(id);
    tell?.(how);
  }

  #credit(bytes: number): void {
    this.#owed += bytes;
    if (this.#owed < CREDIT_AT) return;
    this.#send(windowFrame(0, this.#owed));
    this.#owed = 0;
  }

  #close(why: string): void {
    if (this.#gone !== undefined) return;
    this.#gone = why;
    this.#conn.close();
    this.#ready.reject(new Error(`Cannot connect as Envoy: ${why}`));
    this.#ready.promise.catch(() => {});
    for (const id of [...this.#open.keys()]) this.#end(id, "lost");
    for (const { tell } of this.#waiting.splice(0)) tell("lost");
  }
}
