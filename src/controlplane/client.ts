// The control-plane client on the native transport: one connection per address, calls without a
// deadline that are never cancelled, and honest words for how each ended.
// Place in the flow: the engine asks for one attempt, the answer goes back to it in the same turn.
// Owner: controlplane.
import { type Clock, codeName, type ResumeRequest } from "../engine/mod.ts";
import type { AttemptSink, PendingCall } from "../engine/mod.ts";
import type { CallEnd, ClientTls, Dial, MetadataEntry } from "../h2/grpc/types.ts";
import { encodeListRequest, encodeResumeRequest } from "../wire/ateapi.ts";
import { parseAddress } from "./address.ts";
import { loadTls, type ReadFile, TokenFile } from "./credentials.ts";
import { Endpoints, type Resolve } from "./endpoints.ts";
import { DialPace } from "./pace.ts";
import type { ClientOptions, ConnectionView, ControlPlaneClient, ProbeResult } from "./port.ts";
import { type CallHost, lostSoon, ResumeCall, traceMetadata } from "./resume_call.ts";

const RESUME = "/ateapi.Control/ResumeActor";
const LIST = "/ateapi.Control/ListActors";
const PROBE_PAGE_SIZE = 1;
const FILES_EVERY_MS = 10_000;

/** What the client is made of beyond the port's options. */
export interface ClientParts {
  readonly dial: Dial;
  readonly clock: Clock;
  readonly resolve: Resolve;
  readonly readFile: ReadFile;
}

/**
 * A client that begins to connect with {@link ControlPlaneClient.warm} or its first call.
 * @throws {Error} when the address or a file cannot be used; the message names it.
 */
export function createClient(options: ClientOptions, parts: ClientParts): ControlPlaneClient {
  return new NativeClient(options, parts);
}

class NativeClient implements ControlPlaneClient, CallHost {
  readonly #clock: Clock;
  readonly #endpoints: Endpoints;
  /** Calls that wait while a connection is being made, in order. */
  #waiting: Set<ResumeCall> = new Set();
  readonly #token: TokenFile | undefined;
  readonly #warm = Promise.withResolvers<void>();
  readonly #tls: () => ClientTls | undefined;
  #started = false;
  #files: string;
  #stopFiles: () => void = () => {};
  #closed = false;

  constructor(options: ClientOptions, parts: ClientParts) {
    const address = parseAddress(options.address);
    const { credentials } = options;
    const log = options.log ?? (() => {});
    this.#clock = parts.clock;
    this.#tls = () => loadTls(credentials, options.serverName ?? address.host, parts.readFile);
    this.#files = JSON.stringify(this.#tls() ?? null);
    if (credentials.kind === "jwt") {
      // Unreadable at the start is a mistake; later it is a warning.
      parts.readFile(credentials.tokenFile);
      this.#token = new TokenFile(
        credentials.tokenFile,
        parts.readFile,
        (msg, fields) => log("warn", msg, fields),
      );
    }
    const draw = options.draw ?? Math.random;
    this.#endpoints = new Endpoints(address, {
      clock: parts.clock,
      draw,
      dial: parts.dial,
      pace: new DialPace(),
      port: address.port,
      authority: address.authority,
      tls: this.#tls,
      changed: () => this.#changed(),
      log,
    }, options.resolve ?? parts.resolve);
    if (credentials.kind !== "insecure") this.#watchFiles();
  }

  resume(request: ResumeRequest, sink: AttemptSink): PendingCall {
    this.#start();
    const { atespace, actorId } = request.actor;
    const metadata = traceMetadata(request.trace);
    if (this.#token !== undefined) {
      const authorization = this.#token.authorization();
      if (authorization === undefined) return lostSoon(sink, "no token yet");
      metadata.push(["authorization", authorization]);
    }
    const call = new ResumeCall(sink, encodeResumeRequest(atespace, actorId), metadata, this);
    this.place(call);
    return call;
  }

  /** Sends a call, lets it wait for a connection, or says that there is none. */
  place(call: ResumeCall): void {
    const connection = this.#closed ? undefined : this.#endpoints.pick();
    if (connection !== undefined) {
      const { message, metadata } = call;
      call.pending = connection.call({ path: RESUME, message, metadata }, call);
    } else if (!this.#closed && this.#endpoints.undecided) {
      this.#waiting.add(call);
    } else {
      queueMicrotask(() => call.lost("no connection to the control plane"));
    }
  }

  /** A call was lost: the name may mean other addresses by now. */
  failed(): void {
    this.#endpoints.lookAgain();
  }

  forget(call: ResumeCall): boolean {
    return this.#waiting.delete(call);
  }

  warm(): Promise<void> {
    this.#start();
    return this.#warm.promise;
  }

  connections(): ConnectionView[] {
    return this.#endpoints.views();
  }

  probe(timeoutMs: number): Promise<ProbeResult> {
    this.#start();
    const beganMs = this.#clock.now();
    const connection = this.#endpoints.pick();
    const took = () => this.#clock.now() - beganMs;
    if (connection === undefined) {
      return Promise.resolve({ ok: false, tookMs: 0, why: "no connection" });
    }
    const authorization = this.#token?.authorization();
    const metadata: MetadataEntry[] = authorization === undefined
      ? []
      : [["authorization", authorization]];
    return new Promise((resolve) => {
      connection.call({
        path: LIST,
        message: encodeListRequest(PROBE_PAGE_SIZE),
        metadata,
        timeoutMs,
      }, {
        started() {},
        answered(end) {
          const tookMs = took();
          resolve(
            end.kind === "ok" ? { ok: true, tookMs } : { ok: false, tookMs, why: whyOf(end) },
          );
        },
      });
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#stopFiles();
    for (const call of this.#takeWaiting()) call.lost("the client is closed");
    await this.#endpoints.close();
  }

  #start(): void {
    if (this.#started || this.#closed) return;
    this.#started = true;
    this.#endpoints.start();
  }

  /** A connection came or went. */
  #changed(): void {
    if (this.#closed) return;
    if (this.#endpoints.pick() !== undefined) this.#warm.resolve();
    else if (this.#endpoints.undecided) return;
    for (const call of this.#takeWaiting()) this.place(call);
  }

  #takeWaiting(): Iterable<ResumeCall> {
    const calls = this.#waiting;
    this.#waiting = new Set();
    return calls;
  }

  /** Changed certificate files mean new connections; the old ones finish what they have. */
  #watchFiles(): void {
    const look = () => {
      timer = this.#clock.after(FILES_EVERY_MS, look);
      try {
        const files = JSON.stringify(this.#tls() ?? null);
        if (files === this.#files) return;
        this.#files = files;
        this.#endpoints.renew();
      } catch {
        // In the middle of being replaced; the next look or the next dial will say.
      }
    };
    let timer = this.#clock.after(FILES_EVERY_MS, look);
    this.#stopFiles = () => timer.cancel();
  }
}

function whyOf(end: Exclude<CallEnd, { kind: "ok" }>): string {
  if (end.kind === "status") return codeName(end.code);
  return end.kind === "deadline" ? "no answer in time" : end.why;
}
