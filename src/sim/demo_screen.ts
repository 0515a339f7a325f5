// What the demo shows while it works: numbered steps, and one live line that is written over on a
// terminal and repeated now and then in a pipe. Used by demo.ts.
import type { Clock } from "../engine/mod.ts";
import type { DemoOut } from "./demo_parts.ts";

const STEPS = 4;
const DOTS_TO = 58;
const PIPE_EVERY_MS = 500;
const CLEAR_LINE = "\r\x1b[K";

export class DemoScreen {
  readonly #out: DemoOut;
  readonly #clock: Clock;
  #steps = 0;
  #what = "";
  /** The terminal's last line is not ended and will be written over. */
  #open = false;
  #nextLiveMs = 0;

  constructor(out: DemoOut, clock: Clock) {
    this.#out = out;
    this.#clock = clock;
  }

  /** Begins a step that `done` ends. A pipe sees it only then. */
  step(what: string): void {
    this.#steps++;
    this.#what = what;
    this.live(`${this.#steps}/${STEPS} ${what} `, { terminalOnly: true });
  }

  /** Ends the step; `what` replaces what it began with. */
  done(what = this.#what): void {
    this.line(`${this.#steps}/${STEPS} ${what} `.padEnd(DOTS_TO, ".") + " ready");
  }

  /** A step that is told by the lines below it. */
  title(what: string): void {
    this.#steps++;
    this.line(`${this.#steps}/${STEPS} ${what}`);
  }

  /** A line that stays. */
  line(text: string): void {
    this.#out.write(`${this.#open ? CLEAR_LINE : ""}${text}\n`);
    this.#open = false;
    this.#nextLiveMs = 0;
  }

  /** Written over by what comes next on a terminal; in a pipe a line, at most every half second. */
  live(text: string, { terminalOnly = false } = {}): void {
    if (this.#out.terminal) {
      this.#out.write(`${this.#open ? CLEAR_LINE : ""}${text}`);
      this.#open = true;
    } else if (!terminalOnly && this.#clock.now() >= this.#nextLiveMs) {
      this.#out.write(`${text}\n`);
      this.#nextLiveMs = this.#clock.now() + PIPE_EVERY_MS;
    }
  }
}
