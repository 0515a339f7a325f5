// What the fake control plane does with one call, and how that looks on the wire.
import { Buffer } from "node:buffer";
import { create, toBinary } from "@bufbuild/protobuf";
import type http2 from "node:http2";
import { ActorStatus } from "../../src/engine/mod.ts";
import { ResumeActorResponseSchema } from "../../src/gen/ateapi/ateapi_pb.ts";
import { framed } from "./grpc_peer.ts";

/** One answer of the script. */
export type FakeReply =
  | {
    readonly kind: "ok";
    readonly ip: string;
    readonly resumed?: boolean;
    readonly state?: number;
  }
  /** A gRPC status; with `afterHeaders` in trailers of its own, else trailers-only. */
  | {
    readonly kind: "status";
    readonly code: number;
    readonly message?: string;
    /** `grpc-status-details-bin`, base64. */
    readonly details?: string;
    readonly afterHeaders?: boolean;
  }
  | { readonly kind: "reset"; readonly code: number }
  /** GOAWAY saying that this call was not taken. */
  | { readonly kind: "refusedByGoAway" }
  /** An OK status with these bytes as message; none at all when undefined. */
  | { readonly kind: "bytes"; readonly message: Uint8Array | undefined }
  /** An HTTP status without a gRPC one. */
  | { readonly kind: "http"; readonly status: number }
  /** Never answers. */
  | { readonly kind: "hang" }
  /** The connection is cut. */
  | { readonly kind: "cut" };

export interface FakeStep {
  readonly afterMs?: number;
  readonly reply: FakeReply;
}

export function okReply(ip: string, resumed = true): FakeReply {
  return { kind: "ok", ip, resumed };
}

export function statusReply(code: number, message = ""): FakeReply {
  return { kind: "status", code, message };
}

const HEAD = { ":status": 200, "content-type": "application/grpc" };

function encoded(reply: Extract<FakeReply, { kind: "ok" }>): Uint8Array {
  return toBinary(
    ResumeActorResponseSchema,
    create(ResumeActorResponseSchema, {
      actor: {
        actorTemplateNamespace: "ns",
        actorTemplateName: "tpl",
        status: reply.state ?? ActorStatus.RUNNING,
        ateomPodIp: reply.ip,
      },
      resumed: reply.resumed ?? true,
    }),
  );
}

function withTrailers(
  stream: http2.ServerHttp2Stream,
  message: Uint8Array | undefined,
  trailers: Record<string, string>,
): void {
  stream.respond(HEAD, { waitForTrailers: true });
  stream.on("wantTrailers", () => stream.sendTrailers(trailers));
  stream.end(message === undefined ? undefined : Buffer.from(framed(message)));
}

function statusOf(reply: Extract<FakeReply, { kind: "status" }>): Record<string, string> {
  return {
    "grpc-status": String(reply.code),
    "grpc-message": encodeURIComponent(reply.message ?? ""),
    ...(reply.details === undefined ? {} : { "grpc-status-details-bin": reply.details }),
  };
}

/** Does it. */
export function perform(reply: FakeReply, stream: http2.ServerHttp2Stream): void {
  const { session } = stream;
  if (stream.destroyed || stream.closed) return;
  switch (reply.kind) {
    case "ok":
      return withTrailers(stream, encoded(reply), { "grpc-status": "0" });
    case "bytes":
      return withTrailers(stream, reply.message, { "grpc-status": "0" });
    case "status":
      if (reply.afterHeaders) return withTrailers(stream, undefined, statusOf(reply));
      return stream.respond({ ...HEAD, ...statusOf(reply) }, { endStream: true });
    case "http":
      return stream.respond({ ":status": reply.status }, { endStream: true });
    case "reset":
      return stream.close(reply.code);
    case "refusedByGoAway":
      return session?.goaway(0, Math.max(0, (stream.id ?? 1) - 2));
    case "cut":
      return session?.destroy();
    case "hang":
      return;
  }
}
