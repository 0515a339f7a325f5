// The control-plane client over whatever transport dials: one connection per address, calls without
// a deadline that are never cancelled, and honest words for how each ended.
// Place in the flow: the engine asks for one attempt, the answer goes back to it in the same turn.
// Owner: controlplane.
import { type Clock, codeName, type ResumeRequest } from "../engine/mod.ts";
import type { AttemptSink, PendingCall } from "../engine/mod.ts";
import type { DialUnary, MetadataEntry, UnaryEnd } from "../h2/grpc/types.ts";
import { encodeListRequest, encodeResumeRequest } from "../wire/ateapi.ts";
import { parseAddress } from "./address.ts";
import { loadTls } from "./credentials.ts";
import { Endpoints, type Resolve } from "./endpoints.ts";
import type { ReadFile } from "./files.ts";
import { DialPace } from "./pace.ts";
import type { ClientOptions, ConnectionView, ControlPlaneClient, ProbeResult } from "./port.ts";
import { type CallHost, ResumeCall, traceMetadata } from "./resume_call.ts";
import { TlsFiles } from "./tls_files.ts";
import { TokenFile } from "./token.ts";

const LIST = "/ateapi.Control/ListActors";
const PROBE_PAGE_SIZE = 1;
const FILES_EVERY_MS = 10_000;
const NO_TOKEN = "there is no token yet";

/** What the client is made of beyond the port's options. */
export interface ClientParts {
  readonly dial: DialUnary;
  readonly clock: Clock;
  readonly resolve: Resolve;
  readonly readFile: ReadFile;
  /** How often the certificate files are compared with what is in use. Default 10 s. */
  readonly filesEveryMs?: number;
}

/**
 * A client that begins to connect with {@link ControlPlaneClient.warm} or its first call.
 * @throws {Error} when the address or a file cannot be used; the message names it.
 */
export function createClient(options: ClientOptions, parts: ClientParts): ControlPlaneClient {
  return new Client(options, parts);
}

class Client implements ControlPlaneClient, CallHost {
  readonly #parts: ClientParts;
  readonly #endpoints: Endpoints;
  readonly #files: TlsFiles;
  readonly #token: TokenFile | undefined;
  /** Calls that wait while a connection is being made, in order. */
  #waiting: Set<ResumeCall> = new Set();
  readonly #warm = Promise.withResolvers<void>();
  #started = false;
  #closed = false;

  constructor(options: ClientOptions, parts: ClientParts) {
    const { credentials, serverName, draw = Math.random, log = () => {} } = options;
    const { clock, dial, readFile } = parts;
    const address = parseAddress(options.address);
    const warn = (msg: string, fields: Record<string, unknown>) => log("warn", msg, fields);
    const load = () => loadTls(credentials, serverName ?? address.host, readFile);
    this.#parts = parts;
    this.#files = new TlsFiles(load, warn);
    if (credentials.kind === "jwt") {
      this.#token = new TokenFile(credentials.tokenFile, readFile, warn);
    }
    this.#endpoints = new Endpoints(address, {
      clock,
      draw,
      dial,
      pace: new DialPace(),
      port: address.port,
      authority: address.authority,
      leaving: new Set(),
      tls: () => this.#files.current(),
      changed: () => this.#changed(),
      log,
    }, options.resolve ?? parts.resolve);
  }

  resume(request: ResumeRequest, sink: AttemptSink): PendingCall {
    this.#start();
    const { atespace, actorId } = request.actor;
    const metadata = traceMetadata(request.trace);
    const call = new ResumeCall(sink, encodeResumeRequest(atespace, actorId), metadata, this);
    if (this.#authorize(metadata)) this.place(call);
    else loseSoon(call, NO_TOKEN);
    return call;
  }

  /** Sends a call, lets it wait for a connection, or says that there is none. */
  place(call: ResumeCall): void {
    if (this.#closed) return loseSoon(call, "the client is closed");
    const connection = this.#endpoints.pick();
    if (connection !== undefined) call.send(connection);
    else if (this.#endpoints.isHopeful) this.#waiting.add(call);
    else loseSoon(call, this.#whyNone());
  }

  /** A call was lost: the name may mean other addresses by now. */
  failed(): void {
    this.#endpoints.lookAgain();
  }

  forget(call: ResumeCall): void {
    this.#waiting.delete(call);
  }

  warm(): Promise<void> {
    this.#start();
    return this.#warm.promise;
  }

  connections(): ConnectionView[] {
    return this.#endpoints.views();
  }

  async probe(timeoutMs: number): Promise<ProbeResult> {
    this.#start();
    const { clock } = this.#parts;
    const beganMs = clock.now();
    const why = await this.#list(timeoutMs);
    const tookMs = clock.now() - beganMs;
    return why === undefined ? { ok: true, tookMs } : { ok: false, tookMs, why };
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#files.stop();
    for (const call of this.#takeWaiting()) call.lose("the client is closed");
    await this.#endpoints.close();
  }

  /** Begins to connect, once. */
  #start(): void {
    if (this.#started || this.#closed) return;
    this.#started = true;
    const { clock, filesEveryMs = FILES_EVERY_MS } = this.#parts;
    this.#files.watch(clock, filesEveryMs, (tls) => this.#endpoints.renew(tls));
    this.#endpoints.start();
  }

  /** Adds the token of clients that have one. @returns false when there should be one and is none. */
  #authorize(metadata: MetadataEntry[]): boolean {
    if (this.#token === undefined) return true;
    const authorization = this.#token.authorization();
    if (authorization === undefined) return false;
    metadata.push(["authorization", authorization]);
    return true;
  }

  /** Asks for as little as there is. @returns why that failed; undefined when it was answered. */
  #list(timeoutMs: number): Promise<string | undefined> {
    const metadata: MetadataEntry[] = [];
    if (!this.#authorize(metadata)) return Promise.resolve(NO_TOKEN);
    const connection = this.#closed ? undefined : this.#endpoints.pick();
    if (connection === undefined) return Promise.resolve(this.#whyNone());
    return new Promise((resolve) => {
      const request = { path: LIST, message: encodeListRequest(PROBE_PAGE_SIZE), metadata };
      connection.call({ ...request, timeoutMs }, {
        started() {},
        answered: (end) => {
          if (end.kind === "lost") this.failed();
          resolve(whyOf(end));
        },
      });
    });
  }

  /** A connection came or went. */
  #changed(): void {
    if (this.#closed) return;
    if (this.#endpoints.anyOpen) this.#warm.resolve();
    else if (this.#endpoints.isHopeful) return;
    for (const call of this.#takeWaiting()) this.place(call);
  }

  #takeWaiting(): Iterable<ResumeCall> {
    const calls = this.#waiting;
    this.#waiting = new Set();
    return calls;
  }

  #whyNone(): string {
    const reasons = this.connections().map(({ address, state, lastError }) =>
      lastError ?? `${address} is ${state}`
    );
    return `no connection: ${reasons.join("; ")}`;
  }
}

/** The engine must not hear of an answer before `resume` has returned. */
function loseSoon(call: ResumeCall, why: string): void {
  queueMicrotask(() => call.lose(why));
}

function whyOf(end: UnaryEnd): string | undefined {
  if (end.kind === "ok") return undefined;
  if (end.kind === "status") return codeName(end.code);
  return end.kind === "deadline" ? "no answer in time" : end.why;
}
