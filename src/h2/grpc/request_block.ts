// Header blocks of requests: what is the same for every call of a path is made once per connection,
// metadata is added per call.
import { BlockWriter, encodeBlock } from "../hpack/encoder.ts";
import { formatTimeout } from "./timeout.ts";
import type { MetadataEntry } from "./types.ts";

const USER_AGENT = "atenet-router";
/** Paths whose blocks are kept. */
const PATHS_MAX = 64;

const NAME = /^[a-z0-9_.-]+$/;
/** Printable ASCII without a blank at either end, or nothing at all. */
const VALUE = /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/;

export class RequestBlocks {
  readonly #authority: string;
  readonly #scheme: string;
  readonly #paths = new Map<string, Uint8Array>();
  readonly #writer = new BlockWriter();

  constructor(authority: string, scheme: "http" | "https") {
    this.#authority = authority;
    this.#scheme = scheme;
  }

  /** A whole block; valid until the next call. */
  block(
    path: string,
    metadata: readonly MetadataEntry[] | undefined,
    timeoutMs: number | undefined,
  ): Uint8Array {
    const fixed = this.#fixed(path);
    if (timeoutMs === undefined && (metadata === undefined || metadata.length === 0)) return fixed;
    const writer = this.#writer;
    writer.clear();
    writer.append(fixed);
    if (timeoutMs !== undefined) writer.field("grpc-timeout", formatTimeout(timeoutMs));
    for (const [name, value] of metadata ?? []) {
      if (sendable(name, value)) writer.field(name, value);
    }
    return writer.bytes.subarray(0, writer.length);
  }

  #fixed(path: string): Uint8Array {
    const known = this.#paths.get(path);
    if (known !== undefined) return known;
    const block = encodeBlock([
      [":method", "POST"],
      [":scheme", this.#scheme],
      [":path", path],
      [":authority", this.#authority],
      ["te", "trailers"],
      ["content-type", "application/grpc"],
      ["user-agent", USER_AGENT],
    ]);
    if (this.#paths.size < PATHS_MAX) this.#paths.set(path, block);
    return block;
  }
}

function sendable(name: string, value: string): boolean {
  return NAME.test(name) && !name.startsWith("grpc-") && VALUE.test(value);
}
