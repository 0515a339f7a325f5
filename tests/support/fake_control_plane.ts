// FCP: a scripted control plane over node's HTTP/2 server, for tests of clients. Knows nothing of
// our own transports. Per actor a script of steps (the last one repeats); every call is recorded.
// It can refuse, reset, say GOAWAY, hang, be cut off or die, and come back on the same port.
import { fromBinary } from "@bufbuild/protobuf";
import http2 from "node:http2";
import {
  ListActorsRequestSchema,
  ResumeActorRequestSchema,
} from "../../src/gen/ateapi/ateapi_pb.ts";
import { type FakeReply, type FakeStep, okReply, perform } from "./fake_reply.ts";
import { Unframer } from "./grpc_peer.ts";
import { until } from "./until.ts";

/** PEM texts. With `clientCa`, a client certificate of that authority is demanded. */
export interface FakeTls {
  readonly cert: string;
  readonly key: string;
  readonly clientCa?: string;
}

export interface FakeOptions {
  readonly hostname?: string;
  readonly port?: number;
  readonly tls?: FakeTls;
  readonly maxConcurrentStreams?: number;
  readonly maxHeaderListSize?: number;
  /** What an actor without a script gets. */
  readonly otherwise?: FakeStep;
}

/** One call as the server saw it. */
export interface FakeCall {
  readonly path: string;
  /** `atespace/name` of a ResumeActor. */
  readonly actor: string;
  readonly boot: boolean;
  /** `page_size` of a ListActors. */
  readonly pageSize: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly atMs: number;
  /** Which connection it came on, counted from 1. */
  readonly connection: number;
  /** Common name of the client's certificate. */
  readonly client: string | undefined;
  /** The client reset it before it was answered. */
  canceled: boolean;
}

const RESUME = "/ateapi.Control/ResumeActor";
const LIST = "/ateapi.Control/ListActors";

export class FakeControlPlane implements AsyncDisposable {
  readonly calls: FakeCall[] = [];
  /** What ListActors gets. */
  listReply: FakeReply = { kind: "bytes", message: new Uint8Array() };
  /** Connections ever accepted. */
  accepted = 0;
  readonly #scripts = new Map<string, FakeStep[]>();
  readonly #sessions = new Set<http2.ServerHttp2Session>();
  readonly #numbers = new WeakMap<http2.ServerHttp2Session, number>();
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();
  #options: FakeOptions;
  #server: http2.Http2Server | undefined;
  #port: number;

  constructor(options: FakeOptions = {}) {
    this.#options = options;
    this.#port = options.port ?? 0;
  }

  static async start(options: FakeOptions = {}): Promise<FakeControlPlane> {
    const fake = new FakeControlPlane(options);
    await fake.up();
    return fake;
  }

  get port(): number {
    return this.#port;
  }

  get hostname(): string {
    return this.#options.hostname ?? "127.0.0.1";
  }

  get address(): string {
    return `${this.hostname}:${this.#port}`;
  }

  /** Connections open now. */
  get connections(): number {
    return this.#sessions.size;
  }

  /** Steps for `atespace/name`; the last one repeats. */
  script(actor: string, ...steps: FakeStep[]): void {
    this.#scripts.set(actor, steps);
  }

  /** ResumeActor calls of an actor. */
  of(actor: string): FakeCall[] {
    return this.calls.filter((call) => call.actor === actor);
  }

  /** Waits until an actor has been asked for `n` times. */
  async asked(actor: string, n = 1): Promise<FakeCall> {
    await until(`call ${n} for ${actor}`, () => this.of(actor).length >= n);
    return this.of(actor)[n - 1] as FakeCall;
  }

  /** Listens, on the same port as before; `tls` replaces the certificates. */
  async up(tls: FakeTls | undefined = this.#options.tls): Promise<void> {
    this.#options = { ...this.#options, ...(tls === undefined ? {} : { tls }) };
    const { maxConcurrentStreams, maxHeaderListSize } = this.#options;
    const settings = {
      settings: {
        ...(maxConcurrentStreams === undefined ? {} : { maxConcurrentStreams }),
        ...(maxHeaderListSize === undefined ? {} : { maxHeaderListSize }),
      },
    };
    const server = tls === undefined ? http2.createServer(settings) : http2.createSecureServer({
      ...settings,
      cert: tls.cert,
      key: tls.key,
      ...(tls.clientCa === undefined
        ? {}
        : { ca: tls.clientCa, requestCert: true, rejectUnauthorized: true }),
    });
    server.on("session", (session) => this.#session(session));
    server.on("stream", (stream, headers) => {
      this.#stream(stream as http2.ServerHttp2Stream, headers);
    });
    server.on("tlsClientError", () => {});
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(this.#port, this.hostname, () => {
        server.removeListener("error", reject);
        resolve();
      });
    });
    this.#port = (server.address() as { port: number }).port;
    this.#server = server;
  }

  /** GOAWAY to every connection, no new ones; calls in progress are answered. */
  leave(): void {
    this.#server?.close();
    for (const session of this.#sessions) session.close();
  }

  /** Everything is cut at once, and the port is closed. */
  async down(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    for (const session of this.#sessions) session.destroy();
    if (server?.listening) await new Promise<void>((resolve) => server.close(() => resolve()));
    await until("no connection", () => this.#sessions.size === 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.down();
  }

  #session(session: http2.ServerHttp2Session): void {
    this.accepted++;
    this.#sessions.add(session);
    this.#numbers.set(session, this.accepted);
    session.on("error", () => {});
    session.on("close", () => this.#sessions.delete(session));
  }

  #stream(stream: http2.ServerHttp2Stream, headers: http2.IncomingHttpHeaders): void {
    const unframer = new Unframer();
    const messages: Uint8Array[] = [];
    stream.on("error", () => {});
    stream.on("data", (chunk: Uint8Array) => messages.push(...unframer.push(chunk)));
    stream.on("end", () => {
      if (messages[0] !== undefined) this.#take(stream, headers, messages[0]);
    });
  }

  #take(
    stream: http2.ServerHttp2Stream,
    headers: http2.IncomingHttpHeaders,
    message: Uint8Array,
  ): void {
    const path = String(headers[":path"]);
    const resume = path === RESUME ? fromBinary(ResumeActorRequestSchema, message) : undefined;
    const list = path === LIST ? fromBinary(ListActorsRequestSchema, message) : undefined;
    const actor = resume ? `${resume.actor?.atespace}/${resume.actor?.name}` : "";
    const call: FakeCall = {
      path,
      actor,
      boot: resume?.boot ?? false,
      pageSize: list?.pageSize ?? 0,
      headers: { ...headers },
      atMs: performance.now(),
      connection: this.#numbers.get(stream.session as http2.ServerHttp2Session) ?? 0,
      client: this.#clientOf(stream),
      canceled: false,
    };
    this.calls.push(call);
    stream.on("close", () => call.canceled = !stream.headersSent);
    const step = resume ? this.#nextStep(actor) : { reply: this.listReply };
    if (step.afterMs === undefined) return perform(step.reply, stream);
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      perform(step.reply, stream);
    }, step.afterMs);
    this.#timers.add(timer);
  }

  #nextStep(actor: string): FakeStep {
    const steps = this.#scripts.get(actor) ?? [];
    const step = steps.length > 1 ? steps.shift() : steps[0];
    return step ?? this.#options.otherwise ?? { reply: okReply("10.0.0.1") };
  }

  #clientOf(stream: http2.ServerHttp2Stream): string | undefined {
    if (this.#options.tls?.clientCa === undefined) return undefined;
    const socket = stream.session?.socket as unknown as {
      getPeerCertificate(): { subject?: { CN?: string } };
    };
    return socket.getPeerCertificate().subject?.CN;
  }
}
