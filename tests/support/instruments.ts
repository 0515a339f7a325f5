// What a process can tell about itself and no port shows: heap after a forced collection, timers
// that are armed, listeners on signals, lateness of the event loop. Imported first by
// measured_main.ts, so that it sees every timer and listener of the program.

import { TimerQueue } from "../../src/process/timers.ts";

/** The line that SIGUSR2 asks for. */
export interface Measure {
  readonly measure: number;
  /** heapUsed + external after a forced collection. */
  readonly heapBytes: number;
  readonly rssBytes: number;
  /** Timeouts and intervals of the runtime that are armed, and timers of the program's queues. */
  readonly timers: number;
  /** Listeners on AbortSignals: added, less those taken away or fired. */
  readonly listeners: number;
  /** Lateness of the event loop since the last line. */
  readonly lagP99Ms: number;
  readonly lagMaxMs: number;
}

const LAG_EVERY_MS = 20;
const { setTimeout: systemTimeout } = globalThis;

type Id = ReturnType<typeof setTimeout>;

/** What is armed. */
const armed = new Set<Id>();

function watchTimers(): void {
  const { setTimeout, setInterval, clearTimeout, clearInterval } = globalThis;
  type Act = (...args: unknown[]) => void;
  const once = (act: Act, ms?: number, ...args: unknown[]) => {
    const id = setTimeout(
      (...given: unknown[]) => {
        armed.delete(id);
        act(...given);
      },
      ms,
      ...args,
    );
    armed.add(id);
    return id;
  };
  const repeated = (act: Act, ms?: number, ...args: unknown[]) => {
    const id = setInterval(act, ms, ...args);
    armed.add(id);
    return id;
  };
  const clear = (how: (id?: Id) => void) => (id?: Id) => {
    if (id !== undefined) armed.delete(id);
    how(id);
  };
  Object.assign(globalThis, {
    setTimeout: once,
    setInterval: repeated,
    clearTimeout: clear(clearTimeout),
    clearInterval: clear(clearInterval),
  });
}

/** Every queue that has ever had a timer. */
const queues = new Set<TimerQueue>();

function watchQueues(): void {
  const { after } = TimerQueue.prototype;
  TimerQueue.prototype.after = function (ms, fire) {
    queues.add(this);
    return after.call(this, ms, fire);
  };
}

function timersNow(): number {
  return [...queues].reduce((sum, { size }) => sum + size, armed.size);
}

/** Listeners of each signal; a signal that was collected takes its own along. */
const signals = new Set<WeakRef<AbortSignal>>();
const listeners = new WeakMap<AbortSignal, Set<unknown>>();

function watchSignals(): void {
  const { addEventListener: add, removeEventListener: remove } = EventTarget.prototype;
  EventTarget.prototype.addEventListener = function (type, listener, options) {
    if (this instanceof AbortSignal && listener) {
      const known = listeners.get(this);
      if (known) known.add(listener);
      else {
        listeners.set(this, new Set([listener]));
        signals.add(new WeakRef(this));
      }
    }
    return add.call(this, type, listener, options);
  };
  EventTarget.prototype.removeEventListener = function (type, listener, options) {
    if (this instanceof AbortSignal) listeners.get(this)?.delete(listener);
    return remove.call(this, type, listener, options);
  };
}

function listenersNow(): number {
  let count = 0;
  for (const ref of signals) {
    const signal = ref.deref();
    if (signal === undefined || signal.aborted) signals.delete(ref);
    else count += listeners.get(signal)?.size ?? 0;
  }
  return count;
}

let lags: number[] = [];

function watchLag(): void {
  const dueMs = performance.now() + LAG_EVERY_MS;
  systemTimeout(() => {
    lags.push(Math.max(0, performance.now() - dueMs));
    watchLag();
  }, LAG_EVERY_MS);
}

function lagNow(): { lagP99Ms: number; lagMaxMs: number } {
  const sorted = lags.sort((a, b) => a - b);
  lags = [];
  const at = (q: number) => Math.round(sorted[Math.floor(q * (sorted.length - 1))] ?? 0);
  return { lagP99Ms: at(0.99), lagMaxMs: at(1) };
}

/** V8's own, when the process was started with --expose-gc. */
type Collect = (options: { type: "major"; execution: "sync"; flavor: "last-resort" }) => void;

const { gc } = globalThis as { gc?: Collect };
let measures = 0;

/**
 * Two collections with a turn of the event loop between them: finalizers free what they hold. The
 * last-resort kind gives the room of a young generation that once grew back to the system: without
 * it the resident size says how hard the process ever worked, not what it keeps.
 */
async function measure(): Promise<void> {
  const lag = lagNow();
  for (let n = 0; n < 2; n++) {
    gc?.({ type: "major", execution: "sync", flavor: "last-resort" });
    await new Promise((resolve) => systemTimeout(resolve, 10));
  }
  const { heapUsed, external, rss } = Deno.memoryUsage();
  const line: Measure = {
    measure: ++measures,
    heapBytes: heapUsed + external,
    rssBytes: rss,
    timers: timersNow(),
    listeners: listenersNow(),
    ...lag,
  };
  const bytes = new TextEncoder().encode(`${JSON.stringify(line)}\n`);
  for (let at = 0; at < bytes.length;) at += Deno.stderr.writeSync(bytes.subarray(at));
}

watchTimers();
watchQueues();
watchSignals();
watchLag();
Deno.addSignalListener("SIGUSR2", () => void measure());
