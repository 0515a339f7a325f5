// One batch of the log, piece by piece. Place in the flow: line_writer -> here -> descriptor.
// Owner: telemetry. A refused write is three different things: the reader is slow, the output has a
// bad moment, the reader is gone. Only the last one is final.

/** Writes some of the bytes and says how many; rejects with the system's error. */
export type WriteSome = (bytes: Uint8Array) => Promise<number>;

/** How a batch ended. */
export interface WriteEnd {
  /** `failed`: not now, but a later write may pass. `closed`: nobody reads any more. */
  readonly end: "written" | "failed" | "closed";
  /** Bytes that went out, also of a batch that did not end well. */
  readonly taken: number;
}

/** A pipe whose other end reads again is found after so long. */
const BLOCKED_MS = 20;
/** A pipe takes so much whole or not at all (PIPE_BUF). */
const PIECE_BYTES_MAX = 4_096;
const LINE_FEED = 10;

/**
 * Writes all of `bytes`. An output that would block (a pipe that somebody made non-blocking) is
 * asked again with what is left, for as long as it takes: as slow as one that blocks. Never rejects.
 *
 * It goes out in pieces that are refused whole: the runtime keeps what follows the last line feed of
 * a write in a buffer of its own, and when that cannot be emptied it says nothing of what it took.
 */
export async function writeAll(
  bytes: Uint8Array,
  write: WriteSome,
  pause: (ms: number) => Promise<void>,
): Promise<WriteEnd> {
  let taken = 0;
  while (taken < bytes.length) {
    try {
      taken += await write(pieceOf(bytes.subarray(taken)));
    } catch (error) {
      if (error instanceof Deno.errors.BrokenPipe) return { end: "closed", taken };
      if (!isBlocked(error)) return { end: "failed", taken };
      await pause(BLOCKED_MS);
    }
  }
  return { end: "written", taken };
}

/** Whole lines, as many as fit; of a line that does not fit, as much as does. */
function pieceOf(bytes: Uint8Array): Uint8Array {
  const end = bytes.lastIndexOf(LINE_FEED, PIECE_BYTES_MAX - 1) + 1;
  return bytes.subarray(0, end || PIECE_BYTES_MAX);
}

function isBlocked(error: unknown): boolean {
  return error instanceof Deno.errors.WouldBlock || error instanceof Deno.errors.Interrupted;
}
