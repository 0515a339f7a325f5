// How a call ended, from grpc-js's words and what tap.ts saw on the wire. Used by unary_call.ts.
import * as grpc from "@grpc/grpc-js";
import type { UnaryEnd } from "../h2/grpc/types.ts";
import { endingOf } from "./tap.ts";

/** Only what the server itself sent is a status; the rest went lost, or is a fault of this side. */
export function endOf(
  error: grpc.ServiceError | null,
  message: Uint8Array | undefined,
): UnaryEnd {
  if (error === null) return { kind: "ok", message: message ?? new Uint8Array() };
  const { code, details } = error;
  const ending = endingOf(error);
  if (ending === "sent") return { kind: "status", code, message: details };
  if (ending === "lost") return { kind: "lost", why: details };
  return code === grpc.status.DEADLINE_EXCEEDED
    ? { kind: "deadline" }
    : { kind: "fault", why: details };
}
