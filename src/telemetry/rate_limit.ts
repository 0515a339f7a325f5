// Repeats of one kind of log line: the first few of a window pass, the rest are counted, and when
// the window ends the count is said. Place in the flow: between whoever warns and the log.
// Owner: telemetry. Time is injected; one timer for all kinds, none while nothing repeats.
import type { Clock, Timer } from "../engine/mod.ts";

export interface RateLimitOptions<Label> {
  /** Lines of one kind that pass in a window. */
  readonly burst: number;
  readonly windowMs: number;
  /** Kinds told apart; further ones share one window. */
  readonly kindsMax: number;
  /** A window ended in which `leftOut` > 0 lines of this kind did not pass. */
  readonly onLeftOut: (label: Label, leftOut: number) => void;
}

interface Window<Label> {
  readonly label: Label;
  readonly endMs: number;
  passed: number;
  leftOut: number;
}

const OVERFLOW = "\u0000overflow";

/** Windows of one length per kind; a kind is a string chosen by the caller. */
export class RateLimit<Label> {
  /** Insertion order is end order: all windows have one length. */
  readonly #windows = new Map<string, Window<Label>>();
  readonly #clock: Clock;
  readonly #options: RateLimitOptions<Label>;
  #timer: Timer | undefined;

  constructor(clock: Clock, options: RateLimitOptions<Label>) {
    this.#clock = clock;
    this.#options = options;
  }

  /** True when this line may be written. `label` is handed back when some were left out. */
  take(kind: string, label: Label): boolean {
    const window = this.#window(kind, label);
    if (window.passed < this.#options.burst) {
      window.passed++;
      return true;
    }
    window.leftOut++;
    return false;
  }

  /** Ends all windows now and says what they left out. For the end of the process. */
  close(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    for (const [kind, window] of [...this.#windows]) this.#end(kind, window);
  }

  #window(kind: string, label: Label): Window<Label> {
    this.#sweep();
    const full = !this.#windows.has(kind) && this.#windows.size >= this.#options.kindsMax;
    const key = full ? OVERFLOW : kind;
    const known = this.#windows.get(key);
    if (known) return known;
    const window = {
      label,
      endMs: this.#clock.now() + this.#options.windowMs,
      passed: 0,
      leftOut: 0,
    };
    this.#windows.set(key, window);
    this.#arm();
    return window;
  }

  #sweep(): void {
    const now = this.#clock.now();
    for (const [kind, window] of this.#windows) {
      if (window.endMs > now) break;
      this.#end(kind, window);
    }
  }

  #end(kind: string, window: Window<Label>): void {
    this.#windows.delete(kind);
    if (window.leftOut > 0) this.#options.onLeftOut(window.label, window.leftOut);
  }

  #arm(): void {
    if (this.#timer) return;
    const first = this.#windows.values().next().value;
    if (!first) return;
    const waitMs = Math.max(0, first.endMs - this.#clock.now());
    this.#timer = this.#clock.after(waitMs, () => {
      this.#timer = undefined;
      this.#sweep();
      this.#arm();
    });
  }
}
