// What the head, the trailers or the end of a response stream mean for a call. Only a gRPC status that
// the peer itself sent counts as its answer; all else is a loss on the way, or a fault of the peer.
import { ErrorCode, errorName } from "../frame.ts";
import type { Head } from "../head.ts";
import type { Stream } from "../core.ts";
import { decodeMessage, parseStatus } from "./status.ts";
import type { CallEnd, LostCause } from "./types.ts";

const OK = 200;
/** HTTP answers of things in between that say "not now". */
const HTTP_NOT_NOW = new Set([429, 502, 503, 504]);
const GRPC_CONTENT = /^application\/grpc(?:[+;]|$)/;

/** A head that does not end the stream: undefined when a gRPC response follows. */
export function headProblem(head: Head): CallEnd | undefined {
  if (head.status !== OK) return httpEnd(head.status);
  if (!GRPC_CONTENT.test(head.get("content-type") ?? "")) return fault("response is not gRPC");
  return undefined;
}

/** Trailers, or a head that is all of the response (trailers-only). Undefined = OK. */
export function trailersEnd(head: Head): CallEnd | undefined {
  const code = parseStatus(head.get("grpc-status"));
  if (code === undefined) {
    return head.status === 0 || head.status === OK
      ? fault("response without a gRPC status")
      : httpEnd(head.status);
  }
  if (code === 0) return undefined;
  return { kind: "status", code, message: decodeMessage(head.get("grpc-message") ?? "") };
}

/** A stream that is gone without trailers. `cause` and `why` are the connection's, if it ended. */
export function goneEnd(stream: Stream, cause: LostCause, why: string): CallEnd {
  switch (stream.goneReason) {
    case "peer-reset": {
      const refused = stream.goneCode === ErrorCode.REFUSED_STREAM;
      const reset = `RST_STREAM ${errorName(stream.goneCode)}`;
      return lost(refused ? "refused" : "reset", refused, reset);
    }
    case "reset":
      return lost("reset", false, `stream error: ${errorName(stream.goneCode)}`);
    case "unprocessed":
      return lost("goaway", true, `GOAWAY ${errorName(stream.goneCode)}`);
    case "done":
      return fault("response without trailers");
    default:
      return lost(cause, false, why);
  }
}

export function lost(cause: LostCause, unprocessed: boolean, why: string): CallEnd {
  return { kind: "lost", cause, unprocessed, why };
}

export function fault(why: string): CallEnd {
  return { kind: "fault", why };
}

function httpEnd(status: number): CallEnd {
  return HTTP_NOT_NOW.has(status)
    ? lost("http", false, `HTTP ${status}`)
    : fault(`HTTP ${status} instead of a gRPC response`);
}
