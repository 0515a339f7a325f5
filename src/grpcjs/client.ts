// The control-plane port over npm:@grpc/grpc-js: calls without a deadline that are never cancelled,
// on one connection per address. The engine asks for one attempt, the answer goes back to it.
import type { AttemptSink, Clock, PendingCall, ResumeRequest } from "../engine/mod.ts";
import { codeName } from "../engine/mod.ts";
import type {
  ClientOptions,
  Connect,
  ConnectionView,
  ControlPlaneClient,
  ProbeResult,
} from "../controlplane/port.ts";
import { parseAddress } from "./address.ts";
import { answerOf, callMetadata, LIST_PATH, probeRequest, resumeRequest } from "./answer.ts";
import { systemClock } from "./clock.ts";
import { Endpoints } from "./endpoints.ts";
import { IdentityFiles } from "./identity_files.ts";
import { Pace } from "./pace.ts";
import { silenceLibrary } from "./quiet.ts";
import { systemResolve } from "./resolve.ts";
import { type CallHost, ResumeCall } from "./resume_call.ts";
import { TokenFile } from "./token.ts";

/** What tests replace. */
export interface ClientParts {
  readonly clock: Clock;
  /** How often the certificate files are compared with what is in use. */
  readonly filesEveryMs: number;
}

const DEFAULT_PARTS: ClientParts = { clock: systemClock, filesEveryMs: 10_000 };

/** A control-plane client. See {@link Connect}. */
export const connect: Connect = function connect(options) {
  return createClient(options);
};

/** {@link connect} with other parts. @throws {Error} naming the address or file it cannot use. */
// deno-lint-ignore require-await -- what it throws must be a rejection
export async function createClient(
  options: ClientOptions,
  parts: ClientParts = DEFAULT_PARTS,
): Promise<ControlPlaneClient> {
  silenceLibrary();
  return new GrpcjsClient(options, parts);
}

class GrpcjsClient implements ControlPlaneClient, CallHost {
  readonly #parts: ClientParts;
  readonly #files: IdentityFiles;
  readonly #endpoints: Endpoints;
  readonly #token: TokenFile | undefined;
  readonly #warm = Promise.withResolvers<void>();
  /** Calls that have not started, in order. */
  readonly #waiting = new Set<ResumeCall>();
  /** Calls in progress, to be answered when the client is closed. */
  readonly #started = new Set<ResumeCall>();
  #isOpen = false;
  #closing: Promise<void> | undefined;

  constructor(options: ClientOptions, parts: ClientParts) {
    const { credentials, log } = options;
    const address = parseAddress(options.address);
    this.#parts = parts;
    this.#files = new IdentityFiles(options, address);
    if (credentials.kind === "jwt") {
      this.#token = new TokenFile(credentials.tokenFile, (msg, fields) => {
        log?.("warn", msg, fields);
      });
    }
    this.#endpoints = new Endpoints(address, {
      clock: parts.clock,
      draw: options.draw ?? Math.random,
      pace: new Pace(),
      port: address.port,
      authority: address.authority,
      identity: () => this.#files.current(),
      changed: () => this.#changed(),
      failed: () => this.#endpoints.lookAgain(),
      log: (level, msg, fields) => log?.(level, msg, fields),
    }, options.resolve ?? systemResolve);
  }

  resume(request: ResumeRequest, sink: AttemptSink): PendingCall {
    this.#open();
    const authorization = this.#token?.authorization();
    const metadata = callMetadata(request.trace, authorization);
    const call = new ResumeCall({ message: resumeRequest(request.actor), metadata }, sink, this);
    if (this.#token && authorization === undefined) this.#loseSoon(call, "there is no token yet");
    else this.#place(call);
    return call;
  }

  warm(): Promise<void> {
    this.#open();
    return this.#warm.promise;
  }

  connections(): ConnectionView[] {
    return this.#endpoints.views();
  }

  async probe(timeoutMs: number): Promise<ProbeResult> {
    this.#open();
    const { clock } = this.#parts;
    const startMs = clock.now();
    const failed = (why: string) => ({ ok: false, tookMs: clock.now() - startMs, why } as const);
    const authorization = this.#token?.authorization();
    if (this.#token && authorization === undefined) return failed("there is no token yet");
    const connection = this.#endpoints.pick();
    if (connection === undefined) return failed(this.#whyNone());
    const metadata = callMetadata(undefined, authorization);
    const request = { path: LIST_PATH, message: probeRequest(), metadata, timeoutMs };
    return await new Promise((resolve) => {
      connection.call(request, (error) => {
        if (error === null) resolve({ ok: true, tookMs: clock.now() - startMs });
        else {
          const answer = answerOf(error);
          if (answer.kind === "lost") this.#endpoints.lookAgain();
          resolve(failed(answer.kind === "status" ? codeName(answer.code) : error.details));
        }
        this.#pump();
      });
    });
  }

  close(): Promise<void> {
    return this.#closing ??= this.#close();
  }

  started(call: ResumeCall): void {
    this.#started.add(call);
  }

  over(call: ResumeCall, wasLost: boolean): void {
    this.#started.delete(call);
    if (wasLost) this.#endpoints.lookAgain();
    this.#pump();
  }

  withdrawn(call: ResumeCall): void {
    this.#waiting.delete(call);
  }

  async #close(): Promise<void> {
    this.#files.stop();
    for (const call of [...this.#waiting, ...this.#started]) call.lose("the client is closed");
    this.#waiting.clear();
    this.#started.clear();
    await this.#endpoints.close();
  }

  /** Begins to connect, once. */
  #open(): void {
    if (this.#isOpen || this.#closing) return;
    this.#isOpen = true;
    const { clock, filesEveryMs } = this.#parts;
    this.#files.watch(clock, filesEveryMs, () => this.#endpoints.renew());
    this.#endpoints.start();
  }

  /** Out at once, or waiting in line, or lost: there is no connection and no hope for one. */
  #place(call: ResumeCall): void {
    if (this.#closing) return this.#loseSoon(call, "the client is closed");
    if (!this.#endpoints.anyReady && !this.#endpoints.isHopeful) {
      return this.#loseSoon(call, this.#whyNone());
    }
    this.#waiting.add(call);
    this.#pump();
  }

  /** The engine must not hear of an answer before `resume` has returned. */
  #loseSoon(call: ResumeCall, why: string): void {
    queueMicrotask(() => call.lose(why));
  }

  /** Starts waiting calls while there is room for them. */
  #pump(): void {
    for (const call of this.#waiting) {
      const connection = this.#endpoints.pick();
      if (connection === undefined) return;
      this.#waiting.delete(call);
      call.start(connection);
    }
  }

  #changed(): void {
    if (this.#closing) return;
    if (this.#endpoints.anyReady) {
      this.#warm.resolve();
      return this.#pump();
    }
    if (this.#endpoints.isHopeful) return;
    const why = this.#whyNone();
    for (const call of [...this.#waiting]) {
      this.#waiting.delete(call);
      call.lose(why);
    }
  }

  #whyNone(): string {
    const errors = this.#endpoints.views().map(({ address, lastError, state }) =>
      `${address} ${lastError ?? state}`
    );
    return `no connection: ${errors.join("; ")}`;
  }
}
