// Stand-in for jsr:@std/testing/time where JSR cannot be reached: FakeTime with the signatures of
// the real one, as an adapter over the clock of npm:@sinonjs/fake-timers. Like the real one it fakes
// Date, setTimeout and setInterval and leaves performance.now alone. One difference: when a timer's
// callback throws, the other timers due in the same step still run before the error comes out.
import { createClock } from "@sinonjs/fake-timers";

/** Time was faked twice, or restored without being faked. */
export class TimeError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "TimeError";
  }
}

/** Options of {@link FakeTime.delay}. */
export interface DelayOptions {
  /** Ends the delay early; it then rejects with an AbortError. */
  signal?: AbortSignal;
  /** Part of the real type; without effect on a delay of fake time. */
  persistent?: boolean;
}

/** Lets fake time run by itself. */
export interface FakeTimeOptions {
  /** Fake ms per real ms; 0 (the default) = only by tick and its kin. */
  advanceRate: number;
  /** Real ms between two steps; default 10. */
  advanceFrequency?: number;
}

type Globals = Pick<
  typeof globalThis,
  "Date" | "setTimeout" | "clearTimeout" | "setInterval" | "clearInterval"
>;

const REAL: Globals = {
  Date: globalThis.Date,
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
};

/** The one fake time in force. */
let current: FakeTime | undefined;

function firstInstant(
  start: number | string | Date | null | undefined,
): number {
  if (start instanceof REAL.Date) return start.valueOf();
  if (typeof start === "number") return Math.floor(start);
  if (typeof start === "string") return new REAL.Date(start).valueOf();
  return REAL.Date.now();
}

/** Replaces Date and the timer functions until it is restored or disposed of. */
export class FakeTime {
  readonly #clock;
  readonly #fake: Globals;
  readonly #start: number;
  readonly #advance: ReturnType<typeof setInterval> | undefined;

  /**
   * @param start Instant to begin with; default now.
   * @throws {TimeError} when time is faked already.
   * @throws {TypeError} when `start` is no instant.
   */
  constructor(
    start?: number | string | Date | null,
    options?: FakeTimeOptions,
  ) {
    if (current) {
      throw new TimeError("Cannot construct FakeTime: time is already faked");
    }
    this.#start = firstInstant(start);
    if (Number.isNaN(this.#start)) {
      throw new TypeError(
        `Cannot construct FakeTime: invalid start time ${this.#start}`,
      );
    }
    this.#clock = createClock(this.#start, Number.MAX_SAFE_INTEGER);
    const { Date, setTimeout, clearTimeout, setInterval, clearInterval } = this.#clock;
    this.#fake = {
      Date,
      setTimeout,
      clearTimeout,
      setInterval,
      clearInterval,
    } as unknown as Globals;
    const rate = Math.max(0, options?.advanceRate ?? 0);
    const everyMs = Math.max(0, options?.advanceFrequency ?? 10);
    if (rate > 0) {
      this.#advance = REAL.setInterval.call(
        globalThis,
        () => this.tick(rate * everyMs),
        everyMs,
      );
    }
    Object.assign(globalThis, this.#fake);
    current = this;
  }

  /** Restores real time. @throws {TimeError} when time is not faked. */
  static restore(): void {
    if (!current) {
      throw new TimeError("Cannot restore time: time is already restored");
    }
    current.restore();
  }

  /** Runs `callback` in real time; rejects with a TimeError when time is not faked. */
  static async restoreFor<T>(
    // deno-lint-ignore no-explicit-any
    callback: (...args: any[]) => Promise<T> | T,
    // deno-lint-ignore no-explicit-any
    ...args: any[]
  ): Promise<T> {
    const time = current;
    if (!time) throw new TimeError("Cannot restore time: time is not faked");
    Object.assign(globalThis, REAL);
    try {
      return await callback(...args);
    } finally {
      Object.assign(globalThis, time.#fake);
    }
  }

  /** Fake ms since the epoch. Setting it runs every timer due until then. */
  get now(): number {
    return this.#clock.now;
  }
  set now(value: number) {
    if (value < this.#clock.now) {
      throw new RangeError(
        `Cannot set fake time before ${this.#clock.now}: ${value}`,
      );
    }
    this.#clock.tick(value - this.#clock.now);
  }

  /** The instant it began with, ms since the epoch. */
  get start(): number {
    return this.#start;
  }

  /** Waits `ms` of real time. */
  delay(ms: number, options: DelayOptions = {}): Promise<void> {
    const { signal } = options;
    return new Promise((resolve, reject) => {
      const aborted = () => reject(new DOMException("Delay was aborted", "AbortError"));
      if (signal?.aborted) return aborted();
      const stop = () => {
        REAL.clearTimeout.call(globalThis, timer);
        aborted();
      };
      const timer = REAL.setTimeout.call(globalThis, () => {
        signal?.removeEventListener("abort", stop);
        resolve();
      }, ms);
      signal?.addEventListener("abort", stop, { once: true });
    });
  }

  /** Lets everything that is ready run. */
  async runMicrotasks(): Promise<void> {
    await this.delay(0);
  }

  /** Moves time on by `ms`, running what falls due. */
  tick(ms = 0): void {
    this.now += ms;
  }

  /** {@link runMicrotasks}, then {@link tick}. */
  async tickAsync(ms = 0): Promise<void> {
    await this.runMicrotasks();
    this.now += ms;
  }

  /** Moves to the next due instant. @returns whether there was a timer. */
  next(): boolean {
    if (this.#clock.countTimers() === 0) return false;
    this.#clock.next();
    this.#clock.tick(0);
    return true;
  }

  /** {@link runMicrotasks}, then {@link next}. */
  async nextAsync(): Promise<boolean> {
    await this.runMicrotasks();
    return this.next();
  }

  /** {@link next} until no timer is left. */
  runAll(): void {
    while (this.next());
  }

  /** {@link nextAsync} until no timer is left. */
  async runAllAsync(): Promise<void> {
    while (await this.nextAsync());
  }

  /** Back to real time. @throws {TimeError} when it is restored already. */
  restore(): void {
    if (current !== this) {
      throw new TimeError("Cannot restore time: time is already restored");
    }
    current = undefined;
    Object.assign(globalThis, REAL);
    if (this.#advance !== undefined) {
      REAL.clearInterval.call(globalThis, this.#advance);
    }
  }

  /** Restores real time at the end of a `using` block. */
  [Symbol.dispose](): void {
    this.restore();
  }
}
