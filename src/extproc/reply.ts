// Step 11: reply. From verdict.ts. To stream.ts.
// A verdict as the bytes that Envoy gets. The answer of the fast path depends on nothing but the
// target, so it is written once per target and kept.
import type { Denied, Routed, Verdict } from "../engine/mod.ts";
import {
  type AtenetMetadata,
  encodeContinue,
  encodeImmediate,
  encodeMutation,
  type HeaderPair,
} from "../wire/ext_proc_reply.ts";
import { REPLIES_KEPT_MAX } from "./limits.ts";

/** How Envoy is told where to go: by `:authority`, or by metadata for an ORIGINAL_DST cluster. */
export type RouteMode = "authority" | "original-dst";

const TEXT: readonly HeaderPair[] = [["content-type", "text/plain"]];
/** Only a 503 is worth asking again. */
const TEXT_AND_RETRY: readonly HeaderPair[] = [...TEXT, ["retry-after", "1"]];
const UNAVAILABLE = 503;

/** Turns verdicts into bytes; the bytes may be kept and must not be changed. */
export class Replies {
  readonly #mode: RouteMode;
  readonly #kept = new Map<string, Uint8Array>();

  constructor(mode: RouteMode) {
    this.#mode = mode;
  }

  /** Answers kept ready now. */
  get kept(): number {
    return this.#kept.size;
  }

  /** The ProcessingResponse for a verdict. */
  of(verdict: Verdict): Uint8Array {
    if (verdict.kind === "denied") return this.#denied(verdict);
    const plain = verdict.attempts === 1 && verdict.park === undefined && verdict.parkedMs === 0 &&
      verdict.outcome === "ok";
    if (!plain) return this.#routed(verdict);
    let bytes = this.#kept.get(verdict.target);
    if (bytes === undefined) {
      bytes = this.#routed(verdict);
      // Targets come and go; starting over once in thousands is cheaper than keeping an order.
      if (this.#kept.size >= REPLIES_KEPT_MAX) this.#kept.clear();
      this.#kept.set(verdict.target, bytes);
    }
    return bytes;
  }

  #routed(verdict: Routed): Uint8Array {
    if (this.#mode === "authority") {
      return encodeMutation(verdict.target, metadataOf(verdict, undefined));
    }
    return encodeContinue(metadataOf(verdict, verdict.target));
  }

  #denied(verdict: Denied): Uint8Array {
    const { httpStatus, body, grpcStatus, outcome } = verdict;
    const headers = httpStatus === UNAVAILABLE ? TEXT_AND_RETRY : TEXT;
    const parts = { httpStatus: denialStatus(httpStatus), headers, body, grpcStatus };
    return encodeImmediate({ ...parts, details: outcome }, metadataOf(verdict, undefined));
  }
}

/** Envoy turns what is no error into a 200 that nobody meant. */
function denialStatus(httpStatus: number): number {
  return httpStatus >= 400 && httpStatus <= 599 ? httpStatus : 500;
}

function metadataOf(verdict: Verdict, worker: string | undefined): AtenetMetadata {
  const { outcome, park, parkedMs, attempts } = verdict;
  return { outcome, park, parkedMs, attempts, worker };
}
