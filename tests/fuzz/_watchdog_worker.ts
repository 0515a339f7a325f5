// The other half of _watchdog.ts, in a thread of its own: a run that does not end is written down, and
// the process with it is ended, since nothing else can stop it.
import { writeFound } from "./_corpus.ts";
import { Input } from "./_input.ts";
import { type Watched, Word } from "./_watchdog.ts";

/** Looks within the limit: a process that was stopped for a while makes only one of them late. */
const LOOKS = 40;

declare const self: {
  onmessage: ((event: MessageEvent<Watched>) => void) | null;
  postMessage(message: unknown): void;
};

function held(words: Int32Array, room: SharedArrayBuffer): Input {
  const view = new DataView(room);
  const parts: Uint8Array[] = [];
  for (let at = 0; parts.length < words[Word.PARTS]!;) {
    const length = view.getUint32(at);
    parts.push(new Uint8Array(room, at + 4, length).slice());
    at += 4 + length;
  }
  return new Input(words[Word.SEED]!, parts);
}

self.onmessage = ({ data: { target, form, words: shared, room, limitMs, dir } }) => {
  const words = new Int32Array(shared);
  let seen = 0;
  let looks = 0;
  setInterval(() => {
    const run = Atomics.load(words, Word.RUN);
    const same = Atomics.load(words, Word.RUNNING) === 1 && run === seen;
    seen = run;
    looks = same ? looks + 1 : 0;
    if (looks < LOOKS) return;
    const why = `does not end within ${limitMs / 1000} s`;
    console.error(`${target} fuzz: an input ${why}`);
    console.error(writeFound(target, form, held(words, room), why, dir));
    Deno.kill(Deno.pid, "SIGKILL");
  }, limitMs / LOOKS);
  self.postMessage("watching");
};
