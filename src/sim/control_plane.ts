// The gRPC edge of the simulated control plane: ateapi.Control over the server port.
// Bytes to messages and back; what is answered is the pool's business. Started by simulator.ts.
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import type { ActorRef, Clock } from "../engine/mod.ts";
import type { ServerStream, StreamListener, StreamOpener } from "../extproc/port.ts";
import {
  ActorSchema,
  ListActorsRequestSchema,
  ListActorsResponseSchema,
  ResourceMetadataSchema,
  ResumeActorRequestSchema,
  ResumeActorResponseSchema,
} from "../gen/ateapi/ateapi_pb.ts";
import type { Call, CallLog } from "./call_log.ts";
import { type ResumeReply, SimCode } from "./model.ts";
import type { Pool } from "./pool.ts";

/** What the edge works with. */
export interface ControlPlaneParts {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly calls: CallLog;
  /** The server is being closed: calls that end now were not canceled by their client. */
  readonly closing: () => boolean;
}

/** Serves ResumeActor from the pool and answers ListActors; other paths are UNIMPLEMENTED. */
export function controlPlane(parts: ControlPlaneParts): StreamOpener {
  return (stream) => {
    switch (stream.path) {
      case "/ateapi.Control/ResumeActor":
        return new ResumeCall(stream, parts);
      case "/ateapi.Control/ListActors":
        return new ListCall(stream);
      default:
        return undefined;
    }
  };
}

/** A unary call: one message, then the client's half-close, then our answer. */
abstract class UnaryCall implements StreamListener {
  protected readonly stream: ServerStream;
  #request: Uint8Array | undefined;
  #refused = false;

  constructor(stream: ServerStream) {
    this.stream = stream;
  }

  message(bytes: Uint8Array): void {
    if (this.#request !== undefined) return this.#refuse("more than one request message");
    this.#request = bytes.slice();
  }

  tooLarge(): void {
    this.#refuse("request message too large");
  }

  halfClosed(): void {
    if (this.#refused) return;
    if (this.#request === undefined) return this.#refuse("no request message");
    try {
      this.handle(this.#request);
    } catch (error) {
      this.#refuse(error instanceof Error ? error.message : String(error));
    }
  }

  /** Must throw only before it has answered: an undecodable request. */
  protected abstract handle(request: Uint8Array): void;
  abstract closed(): void;

  #refuse(why: string): void {
    if (this.#refused) return;
    this.#refused = true;
    this.stream.end(SimCode.INVALID_ARGUMENT, why);
  }
}

class ListCall extends UnaryCall {
  protected handle(request: Uint8Array): void {
    fromBinary(ListActorsRequestSchema, request);
    this.stream.send(toBinary(ListActorsResponseSchema, create(ListActorsResponseSchema)));
    this.stream.end(SimCode.OK);
  }

  closed(): void {}
}

class ResumeCall extends UnaryCall {
  readonly #parts: ControlPlaneParts;
  #call: Call | undefined;

  constructor(stream: ServerStream, parts: ControlPlaneParts) {
    super(stream);
    this.#parts = parts;
  }

  protected handle(request: Uint8Array): void {
    const { actor } = fromBinary(ResumeActorRequestSchema, request);
    const ref: ActorRef = { atespace: actor?.atespace ?? "", actorId: actor?.name ?? "" };
    const { pool, clock, calls } = this.#parts;
    const call: Call = {
      actor: ref,
      startMs: clock.now(),
      deadlineMs: this.stream.timeoutMs,
      traceparent: this.stream.metadata("traceparent"),
      authorization: this.stream.metadata("authorization"),
      endMs: undefined,
      code: undefined,
      canceled: false,
    };
    this.#call = call;
    calls.began(call);
    pool.resume(ref, (reply) => this.#answer(call, ref, reply));
  }

  closed(): void {
    const call = this.#call;
    if (call === undefined || call.endMs !== undefined) return;
    const { calls, clock, closing } = this.#parts;
    calls.ended(call, clock.now(), closing() ? "reset" : "canceled");
  }

  #answer(call: Call, ref: ActorRef, reply: ResumeReply): void {
    if (call.endMs !== undefined) return;
    const nowMs = this.#parts.clock.now();
    if (reply.kind === "reset") {
      this.#parts.calls.ended(call, nowMs, "reset");
      return this.stream.reset();
    }
    const code = reply.kind === "ok" ? SimCode.OK : reply.code;
    this.#parts.calls.ended(call, nowMs, code);
    if (reply.kind === "ok") this.stream.send(encode(ref, reply));
    this.stream.end(code, reply.kind === "ok" ? "" : reply.message);
  }
}

function encode(ref: ActorRef, reply: Extract<ResumeReply, { kind: "ok" }>): Uint8Array {
  const { status, workerIp, templateNamespace, templateName } = reply.actor;
  return toBinary(
    ResumeActorResponseSchema,
    create(ResumeActorResponseSchema, {
      actor: create(ActorSchema, {
        metadata: create(ResourceMetadataSchema, { atespace: ref.atespace, name: ref.actorId }),
        actorTemplateNamespace: templateNamespace,
        actorTemplateName: templateName,
        status,
        ateomPodIp: workerIp,
      }),
      resumed: reply.resumed,
    }),
  );
}
