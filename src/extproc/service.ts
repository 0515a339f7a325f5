// Step 12: service. From Envoy. To stream.ts.
// The gRPC service that Envoy's ext_proc filter calls, and the health service beside it: opens a
// ProcessStream per stream and counts those that wait. Made by the composition root, given to a
// server of either transport.
import type { Clock, Engine, Observer } from "../engine/mod.ts";
import { RequestScan } from "../wire/ext_proc.ts";
import type { AskingStream, Desk } from "./desk.ts";
import { Health } from "./health.ts";
import { HostReader } from "./host.ts";
import type { StreamOpener } from "./port.ts";
import { Replies, type RouteMode } from "./reply.ts";
import { ProcessStream } from "./stream.ts";
import { Unanswered } from "./unanswered.ts";

/** gRPC name of Envoy's external processor. */
export const EXT_PROC_SERVICE = "envoy.service.ext_proc.v3.ExternalProcessor";
const PROCESS_PATH = `/${EXT_PROC_SERVICE}/Process`;

/** What the service is made of. */
export interface ExtProcOptions {
  readonly engine: Pick<Engine, "ask">;
  readonly observer: Observer;
  readonly clock: Pick<Clock, "now">;
  /** Hosts are `<actor_id>.<atespace>.<actorDomain>`. */
  readonly actorDomain: string;
  readonly routeMode: RouteMode;
}

/** The service: hand `open` to a server. */
export class ExtProcService implements Desk {
  readonly engine: Pick<Engine, "ask">;
  readonly observer: Observer;
  readonly clock: Pick<Clock, "now">;
  readonly scan = new RequestScan();
  readonly hosts: HostReader;
  readonly replies: Replies;
  /** gRPC health of this port; SERVING until told otherwise. */
  readonly health = new Health(["", EXT_PROC_SERVICE]);
  readonly #unanswered = new Unanswered();
  #open = 0;
  #arrived = 0;
  #ended = 0;

  constructor(options: ExtProcOptions) {
    this.engine = options.engine;
    this.observer = options.observer;
    this.clock = options.clock;
    this.hosts = new HostReader(options.actorDomain);
    this.replies = new Replies(options.routeMode);
  }

  /** Opens ext_proc and health streams; other paths are unimplemented. */
  readonly open: StreamOpener = (stream) => {
    if (stream.path !== PROCESS_PATH) return this.health.open(stream);
    this.#open++;
    return new ProcessStream(this, stream);
  };

  /** ext_proc streams that are not closed, answered or not. */
  openStreams(): number {
    return this.#open;
  }

  /** Streams with a request that waits for its verdict. */
  unanswered(): number {
    return this.#unanswered.size;
  }

  /** RequestHeaders messages taken since the start. */
  arrived(): number {
    return this.#arrived;
  }

  /** RequestHeaders messages without a verdict. */
  openRequests(): number {
    return this.#arrived - this.#ended;
  }

  /** Resets every stream that waits, for the end of the process. @returns how many. */
  resetUnanswered(): number {
    const streams = this.#unanswered.all();
    for (const stream of streams) stream.reset();
    return streams.length;
  }

  streamAsked(stream: AskingStream): void {
    this.#unanswered.add(stream);
  }

  streamAnswered(stream: AskingStream): void {
    this.#unanswered.remove(stream);
  }

  requestArrived(): void {
    this.#arrived++;
  }

  requestEnded(): void {
    this.#ended++;
  }

  streamClosed(): void {
    this.#open--;
  }
}

/** The ext_proc service, ready for a server. */
export function createExtProcService(options: ExtProcOptions): ExtProcService {
  return new ExtProcService(options);
}
