// Keeps the input that runs now in memory that another thread reads: when a run never comes back, that
// thread writes the input down and ends the process. Used by _loop.ts; its other half is
// _watchdog_worker.ts.
import { FOUND_DIR } from "./_corpus.ts";
import type { Form, Input } from "./_input.ts";

/** Places in the shared words. */
export const Word = { RUNNING: 0, RUN: 1, SEED: 2, PARTS: 3, BYTES: 4 } as const;
export const WORDS = 5;
/** Parts as `[length u32][bytes]`; what is beyond is not kept. */
export const ROOM_BYTES = 4 * 1024 * 1024;
/** A run that takes longer never ends. */
const LIMIT_MS = 20_000;

/** What the other thread is told. */
export interface Watched {
  readonly target: string;
  readonly form: Form;
  readonly words: SharedArrayBuffer;
  readonly room: SharedArrayBuffer;
  readonly limitMs: number;
  /** Where the input is written. */
  readonly dir: string;
}

export class Watchdog {
  readonly #worker: Worker;
  readonly #words: Int32Array;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;

  private constructor(worker: Worker, { words, room }: Watched) {
    this.#worker = worker;
    this.#words = new Int32Array(words);
    this.#bytes = new Uint8Array(room);
    this.#view = new DataView(room);
  }

  /** Watches when it resolves. */
  static async start(
    target: string,
    form: Form,
    limitMs = LIMIT_MS,
    dir = FOUND_DIR,
  ): Promise<Watchdog> {
    const watched: Watched = {
      target,
      form,
      words: new SharedArrayBuffer(4 * WORDS),
      room: new SharedArrayBuffer(ROOM_BYTES),
      limitMs,
      dir,
    };
    const worker = new Worker(new URL("./_watchdog_worker.ts", import.meta.url), {
      type: "module",
    });
    const watching = new Promise<void>((resolve, reject) => {
      worker.onmessage = () => resolve();
      worker.onerror = (event) => reject(new Error(`Cannot watch: ${event.message}`));
    });
    worker.postMessage(watched);
    await watching;
    return new Watchdog(worker, watched);
  }

  /** A run begins. */
  begin(input: Input): void {
    const words = this.#words;
    words[Word.SEED] = input.seed;
    words[Word.PARTS] = 0;
    words[Word.BYTES] = 0;
    for (const part of input.parts) this.#part(part);
    input.heard = (part) => this.#part(part);
    words[Word.RUN]!++;
    Atomics.store(words, Word.RUNNING, 1);
  }

  /** It is over. */
  end(): void {
    Atomics.store(this.#words, Word.RUNNING, 0);
  }

  stop(): void {
    this.#worker.terminate();
  }

  #part(part: Uint8Array): void {
    const words = this.#words;
    const at = words[Word.BYTES]!;
    if (at + 4 + part.length > ROOM_BYTES) return;
    this.#view.setUint32(at, part.length);
    this.#bytes.set(part, at + 4);
    words[Word.BYTES] = at + 4 + part.length;
    words[Word.PARTS]!++;
  }
}
