// One ResumeActor of the engine on its way: it waits for a connection or a free stream, or is in
// progress, or over. Made by client.ts, which finds connections for those that wait.
import type { Answer, AttemptSink, PendingCall } from "../engine/mod.ts";
import { answerOf, RESUME_PATH } from "./answer.ts";
import type { Connection, Request } from "./connection.ts";

/** What a call tells its client. */
export interface CallHost {
  started(call: ResumeCall): void;
  /** A started call is over: a stream is free. */
  over(call: ResumeCall, wasLost: boolean): void;
  /** A waiting call was taken back. */
  withdrawn(call: ResumeCall): void;
}

export class ResumeCall implements PendingCall {
  readonly #request: Request;
  readonly #sink: AttemptSink;
  readonly #host: CallHost;
  #state: "waiting" | "started" | "over" = "waiting";

  constructor(request: Omit<Request, "path">, sink: AttemptSink, host: CallHost) {
    this.#request = { path: RESUME_PATH, ...request };
    this.#sink = sink;
    this.#host = host;
  }

  /** Goes out on a connection that has room. */
  start(connection: Connection): void {
    this.#state = "started";
    this.#host.started(this);
    connection.call(this.#request, (error, message) => {
      // Closing the client has answered it already.
      if (this.#state === "over") return;
      const answer = answerOf(error, message);
      this.#end(answer);
      this.#host.over(this, answer.kind === "lost");
    });
    this.#sink.started();
  }

  /** There is no connection for it, or none any more. */
  lose(why: string): void {
    if (this.#state !== "over") this.#end({ kind: "lost", why });
  }

  withdraw(): boolean {
    if (this.#state !== "waiting") return false;
    this.#state = "over";
    this.#host.withdrawn(this);
    return true;
  }

  #end(answer: Answer): void {
    this.#state = "over";
    this.#sink.answered(answer);
  }
}
