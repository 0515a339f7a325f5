// From bytes and statuses of a ResumeActor to the engine's words. Used by resume_call.ts.
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import * as grpc from "@grpc/grpc-js";
import { type ActorRef, type Answer, Code, type TraceContext } from "../engine/mod.ts";
import {
  ListActorsRequestSchema,
  ResumeActorRequestSchema,
  ResumeActorResponseSchema,
} from "../gen/ateapi/ateapi_pb.ts";
import { endingOf } from "./tap.ts";

export const RESUME_PATH = "/ateapi.Control/ResumeActor";
export const LIST_PATH = "/ateapi.Control/ListActors";

export function resumeRequest(actor: ActorRef): Uint8Array {
  const { atespace, actorId } = actor;
  const request = create(ResumeActorRequestSchema, { actor: { atespace, name: actorId } });
  return toBinary(ResumeActorRequestSchema, request);
}

/** Asks for as little as there is: only whether it is answered counts. */
export function probeRequest(): Uint8Array {
  return toBinary(ListActorsRequestSchema, create(ListActorsRequestSchema, { pageSize: 1 }));
}

export function callMetadata(
  trace: TraceContext | undefined,
  authorization: string | undefined,
): grpc.Metadata {
  const metadata = new grpc.Metadata();
  if (trace) {
    metadata.set("traceparent", trace.traceparent);
    if (trace.tracestate !== undefined) metadata.set("tracestate", trace.tracestate);
    if (trace.baggage !== undefined) metadata.set("baggage", trace.baggage);
  }
  if (authorization !== undefined) metadata.set("authorization", authorization);
  return metadata;
}

/** Only what the server itself sent is a status; the rest went lost, or is a fault of this side. */
export function answerOf(error: grpc.ServiceError | null, message?: Uint8Array): Answer {
  if (error === null) return decoded(message ?? new Uint8Array());
  const { code, details } = error;
  const ending = endingOf(error);
  if (ending === "lost") return { kind: "lost", why: details };
  if (ending === "fault") return { kind: "fault", why: details };
  // What is no number at all is UNKNOWN by gRPC's rules.
  return { kind: "status", code: Number.isInteger(code) ? code : Code.UNKNOWN, message: details };
}

function decoded(message: Uint8Array): Answer {
  try {
    const { actor, resumed } = fromBinary(ResumeActorResponseSchema, message);
    return {
      kind: "ok",
      resumed,
      actor: {
        status: actor?.status ?? 0,
        workerIp: actor?.ateomPodIp ?? "",
        templateNamespace: actor?.actorTemplateNamespace ?? "",
        templateName: actor?.actorTemplateName ?? "",
      },
    };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { kind: "fault", why: `Cannot decode as ResumeActorResponse: ${why}` };
  }
}
