// What the streams of one ext_proc service share: the parts that serve a request, and the count of
// those that wait. Implemented by service.ts, used by stream.ts.
import type { Clock, Engine, Observer } from "../engine/mod.ts";
import type { RequestScan } from "../wire/ext_proc.ts";
import type { HostReader } from "./host.ts";
import type { Replies } from "./reply.ts";

/** A stream, as far as the service needs to know it. */
export interface AskingStream {
  /** Its neighbours among those that wait, for unanswered.ts; undefined at the ends and outside. */
  older: AskingStream | undefined;
  newer: AskingStream | undefined;
  /** The end of the process: leaves the engine, resets the stream. */
  reset(): void;
}

export interface Desk {
  readonly engine: Pick<Engine, "ask">;
  readonly observer: Observer;
  readonly clock: Pick<Clock, "now">;
  /** Overwritten by every message: read it before anything else happens. */
  readonly scan: RequestScan;
  readonly hosts: HostReader;
  readonly replies: Replies;
  /** The stream has a request without a written answer. */
  streamAsked(stream: AskingStream): void;
  /** The stream has none any more. */
  streamAnswered(stream: AskingStream): void;
  streamClosed(): void;
  /** A request was taken; {@link requestEnded} follows exactly once. */
  requestArrived(): void;
  requestEnded(): void;
}
