// Request metadata: what a gRPC server must know of a request head, worked out once per distinct head.
import type { Head } from "../head.ts";
import { parseTimeout } from "./timeout.ts";

/** `application/grpc`, with an optional `+proto` or parameters. */
const GRPC_CONTENT = /^application\/grpc(?:[+;]|$)/;

export interface CallHead {
  /** POST with a gRPC content type. */
  readonly grpc: boolean;
  /** Undefined when there is no timeout, or none that can be read. */
  readonly timeoutMs: number | undefined;
}

/** The head's call, remembered on it: heads are shared by streams with equal header blocks. */
export function callHead(head: Head): CallHead {
  if (head.derived === undefined) head.derived = derive(head);
  return head.derived as CallHead;
}

function derive(head: Head): CallHead {
  const timeout = head.get("grpc-timeout");
  return {
    grpc: head.method === "POST" && GRPC_CONTENT.test(head.get("content-type") ?? ""),
    timeoutMs: timeout === undefined ? undefined : parseTimeout(timeout),
  };
}
