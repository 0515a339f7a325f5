// From header blocks to heads: gathers a block that spans CONTINUATION frames (RFC 9113 section 6.10),
// decodes it, checks it, and remembers the last few results by their bytes: a peer that indexes its
// header fields sends the same few bytes for every request. Owned by one connection.
import { type Block, Decoder } from "./hpack/decoder.ts";
import { Head, requestHead, responseHead, trailersHead } from "./head.ts";
import type { Limits } from "./limits.ts";

/** What a header block is meant to be. */
export type HeadKind = "request" | "response" | "trailers";

/** Why a block gave no head; its HPACK part was sound. */
export class HeadProblem {
  constructor(readonly why: string, readonly tooLarge: boolean) {}
}

const TOO_LARGE = new HeadProblem("header list over its limit", true);
/** Results remembered, and the longest block worth remembering. */
const CACHE_ENTRIES = 4;
const CACHE_BLOCK_BYTES = 512;

interface Cached {
  readonly kind: HeadKind;
  /** Of the dynamic table: another version may give the same bytes another meaning. */
  readonly version: number;
  readonly bytes: Uint8Array;
  readonly head: Head;
}

const CHECKS: Record<HeadKind, (fields: string[]) => Head | string> = {
  request: requestHead,
  response: responseHead,
  trailers: trailersHead,
};

export class HeaderReader {
  readonly #decoder: Decoder;
  readonly #limits: Limits;
  readonly #cache: (Cached | undefined)[] = new Array(CACHE_ENTRIES).fill(undefined);
  #next = 0;
  // The block being gathered.
  /** Stream of the open block; 0 = none. */
  streamId = 0;
  endStream = false;
  /** The HEADERS frame made its stream depend on itself. */
  selfDependent = false;
  /** When its HEADERS frame came. */
  sinceMs = 0;
  #parts: Uint8Array[] = [];
  #bytes = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
    this.#decoder = new Decoder(limits.headerListBytes, limits.headerFields);
  }

  /** Starts a block whose end is still to come. */
  begin(streamId: number, endStream: boolean, selfDependent: boolean, nowMs: number): void {
    this.streamId = streamId;
    this.endStream = endStream;
    this.selfDependent = selfDependent;
    this.sinceMs = nowMs;
    this.#parts = [];
    this.#bytes = 0;
  }

  /** Adds a fragment. @returns false when the block has too many bytes or frames. */
  add(fragment: Uint8Array): boolean {
    this.#bytes += fragment.length;
    this.#parts.push(fragment.slice());
    return this.#bytes <= this.#limits.headerBlockBytes &&
      this.#parts.length <= this.#limits.continuations + 1;
  }

  /** Ends the block. @returns all of it. */
  finish(): Uint8Array {
    const block = new Uint8Array(this.#bytes);
    let at = 0;
    for (const part of this.#parts) {
      block.set(part, at);
      at += part.length;
    }
    this.streamId = 0;
    this.#parts = [];
    return block;
  }

  /**
   * Decodes and checks `bytes[start, end)`, a whole block.
   * @returns undefined for a COMPRESSION_ERROR.
   */
  read(
    kind: HeadKind,
    bytes: Uint8Array,
    start: number,
    end: number,
  ): Head | HeadProblem | undefined {
    const version = this.#decoder.table.version;
    const known = this.#find(kind, version, bytes, start, end);
    if (known !== undefined) return known;
    const block = this.#decoder.decode(bytes, start, end);
    if (block === undefined) return undefined;
    if (block.tooLarge) return TOO_LARGE;
    const head = CHECKS[kind](block.fields);
    if (typeof head === "string") return new HeadProblem(head, false);
    if (cacheable(block, end - start)) {
      this.#cache[this.#next] = { kind, version, bytes: bytes.slice(start, end), head };
      this.#next = (this.#next + 1) % CACHE_ENTRIES;
    }
    return head;
  }

  #find(
    kind: HeadKind,
    version: number,
    bytes: Uint8Array,
    start: number,
    end: number,
  ): Head | undefined {
    for (const entry of this.#cache) {
      if (
        entry !== undefined && entry.version === version && entry.kind === kind &&
        equalBytes(entry.bytes, bytes, start, end)
      ) return entry.head;
    }
    return undefined;
  }
}

/** A block that changed the table means something else the next time. */
function cacheable(block: Block, bytes: number): boolean {
  return !block.changedTable && bytes <= CACHE_BLOCK_BYTES;
}

function equalBytes(a: Uint8Array, b: Uint8Array, start: number, end: number): boolean {
  if (a.length !== end - start) return false;
  for (let at = 0; at < a.length; at++) {
    if (a[at] !== b[start + at]) return false;
  }
  return true;
}
