// Counts the PINGs of one HTTP/2 client in what it sends.
import { ACK, Frame, FrameReader } from "../../../bench/lib/h2_frames.ts";

const PREFACE_BYTES = 24;

export class PingCount {
  /** When each came, by the clock of the system. */
  readonly atMs: number[] = [];
  readonly #reader = new FrameReader();
  #prefaceLeft = PREFACE_BYTES;

  /** For a relay: takes the next bytes. */
  readonly hear = (bytes: Uint8Array): void => {
    const skipped = Math.min(this.#prefaceLeft, bytes.length);
    this.#prefaceLeft -= skipped;
    this.#reader.push(bytes.subarray(skipped), (type, flags) => {
      if (type === Frame.PING && (flags & ACK) === 0) this.atMs.push(performance.now());
    });
  };
}
