// The last 10 minutes in 10-second slots, kept in the process: what the status page draws and what
// `status` says about the last minute, also with metrics switched off. Place in the flow: an
// observer. Owner: telemetry. Fixed memory; no timer: a slot is taken into use when time gets there.
import { type Answer, Code, type Observer, type ParkOutcome } from "../engine/mod.ts";
import type { Clock } from "../engine/mod.ts";
import { answerLabel } from "./counts.ts";
import { Quantiles } from "./quantiles.ts";
import { cut, safeText } from "./redact.ts";

const SLOT_MS = 10_000;
const SLOTS = 60;
/** Slots of the last minute, the one in progress included. */
const MINUTE_SLOTS = 6;
const DESCRIPTION_MAX = 120;

/** What happened in one slot. */
export interface HistoryPoint {
  readonly requests: number;
  readonly parked: number;
  readonly served: number;
  readonly budget_exhausted: number;
  readonly canceled: number;
  readonly timeout: number;
  readonly error: number;
  readonly shed: number;
  readonly resumed: number;
  readonly attempts: number;
  /** Most slots of the lot taken at once. */
  readonly active_max: number;
}

/** Why requests had to wait. */
export interface Reason {
  readonly code: string;
  /** The control plane's words, cut; empty for codes whose words are not shown. */
  readonly description: string;
  readonly count: number;
}

export interface LastMinute extends HistoryPoint {
  /** Time these numbers cover. */
  readonly seconds: number;
  /** Of waits that were served; null without one. */
  readonly wait_p50_ms: number | null;
  readonly wait_p99_ms: number | null;
  readonly attempt_p99_ms: number | null;
  /** Most frequent first. */
  readonly reasons: readonly Reason[];
}

export interface HistoryView {
  readonly slot_s: number;
  /** Oldest first, at most 60; the last one is in progress. */
  readonly points: readonly HistoryPoint[];
  readonly last_minute: LastMinute;
}

type Counter = Exclude<keyof HistoryPoint, "active_max">;
const COUNTERS: readonly Counter[] = [
  "requests",
  "parked",
  "served",
  "budget_exhausted",
  "canceled",
  "timeout",
  "error",
  "shed",
  "resumed",
  "attempts",
];

class Slot implements Record<Counter, number> {
  /** Number of the 10 s since the clock's zero; −1 = never used. */
  index = -1;
  requests = 0;
  parked = 0;
  served = 0;
  budget_exhausted = 0;
  canceled = 0;
  timeout = 0;
  error = 0;
  shed = 0;
  resumed = 0;
  attempts = 0;
  active_max = 0;
  activeEnd = 0;
  readonly waits = new Quantiles();
  readonly tooks = new Quantiles();
  readonly reasons = new Map<string, { description: string; count: number }>();

  reset(index: number, active: number): void {
    this.index = index;
    for (const counter of COUNTERS) this[counter] = 0;
    this.active_max = active;
    this.activeEnd = active;
    this.waits.clear();
    this.tooks.clear();
    this.reasons.clear();
  }
}

/** Keeps the last 10 minutes. */
export class History implements Observer {
  readonly #clock: Clock;
  readonly #slots = Array.from({ length: SLOTS }, () => new Slot());
  readonly #firstIndex: number;
  readonly #startMs: number;
  #slot: Slot;
  #active = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startMs = clock.now();
    this.#firstIndex = Math.floor(this.#startMs / SLOT_MS);
    this.#slot = this.#slots[0] as Slot;
    this.#now();
  }

  request(): void {
    this.#now().requests++;
  }

  parked(): void {
    const slot = this.#now();
    slot.parked++;
    this.#setActive(slot, this.#active + 1);
  }

  unparked(_caller: unknown, outcome: ParkOutcome, waitedMs: number): void {
    const slot = this.#now();
    slot[outcome]++;
    this.#setActive(slot, this.#active - 1);
    if (outcome === "served") slot.waits.add(waitedMs);
  }

  shed(): void {
    this.#now().shed++;
  }

  attemptEnded(_flight: unknown, answer: Answer, tookMs: number): void {
    const slot = this.#now();
    slot.attempts++;
    slot.tooks.add(tookMs);
    if (answer.kind === "ok") {
      if (answer.resumed) slot.resumed++;
      return;
    }
    const label = answerLabel(answer);
    const reason = slot.reasons.get(label);
    if (reason) reason.count++;
    else slot.reasons.set(label, { description: descriptionOf(answer), count: 1 });
  }

  view(): HistoryView {
    const current = this.#now();
    const first = Math.max(this.#firstIndex, current.index - SLOTS + 1);
    const points: HistoryPoint[] = [];
    let active = 0;
    for (let index = first; index <= current.index; index++) {
      const slot = this.#used(index);
      points.push(slot ? pointOf(slot) : { ...ZERO, active_max: active });
      if (slot) active = slot.activeEnd;
    }
    return { slot_s: SLOT_MS / 1000, points, last_minute: this.#lastMinute(current) };
  }

  #lastMinute(current: Slot): LastMinute {
    const slots: Slot[] = [];
    for (let index = current.index - MINUTE_SLOTS + 1; index <= current.index; index++) {
      const slot = this.#used(index);
      if (slot) slots.push(slot);
    }
    const fromMs = Math.max(this.#startMs, (current.index - MINUTE_SLOTS + 1) * SLOT_MS);
    const waits = Quantiles.sum(slots.map((slot) => slot.waits));
    const tooks = Quantiles.sum(slots.map((slot) => slot.tooks));
    return {
      ...sumOf(slots),
      active_max: Math.max(this.#active, ...slots.map((slot) => slot.active_max)),
      seconds: Math.max(1, Math.round((this.#clock.now() - fromMs) / 1000)),
      wait_p50_ms: waits.at(0.5),
      wait_p99_ms: waits.at(0.99),
      attempt_p99_ms: tooks.at(0.99),
      reasons: reasonsOf(slots),
    };
  }

  #used(index: number): Slot | undefined {
    const slot = this.#slots[index % SLOTS];
    return slot?.index === index ? slot : undefined;
  }

  /** The slot of this moment. */
  #now(): Slot {
    const index = Math.floor(this.#clock.now() / SLOT_MS);
    if (index === this.#slot.index) return this.#slot;
    this.#slot = this.#slots[index % SLOTS] as Slot;
    this.#slot.reset(index, this.#active);
    return this.#slot;
  }

  #setActive(slot: Slot, active: number): void {
    this.#active = active;
    slot.activeEnd = active;
    if (active > slot.active_max) slot.active_max = active;
  }
}

const ZERO = sumOf([]);

function sumOf(slots: readonly Slot[]): Record<Counter, number> {
  const sum = (counter: Counter) => slots.reduce((total, slot) => total + slot[counter], 0);
  return Object.fromEntries(COUNTERS.map((counter) => [counter, sum(counter)])) as Record<
    Counter,
    number
  >;
}

function pointOf(slot: Slot): HistoryPoint {
  return { ...sumOf([slot]), active_max: slot.active_max };
}

function reasonsOf(slots: readonly Slot[]): Reason[] {
  const reasons = new Map<string, { description: string; count: number }>();
  for (const slot of slots) {
    for (const [code, { description, count }] of slot.reasons) {
      const known = reasons.get(code);
      reasons.set(code, { description, count: count + (known?.count ?? 0) });
    }
  }
  return [...reasons].map(([code, reason]) => ({ code, ...reason }))
    .sort((a, b) => b.count - a.count);
}

/** Only of codes whose words callers see too. */
function descriptionOf(answer: Answer): string {
  if (answer.kind !== "status") return "";
  const shown: readonly number[] = [
    Code.ABORTED,
    Code.RESOURCE_EXHAUSTED,
    Code.FAILED_PRECONDITION,
  ];
  return shown.includes(answer.code) ? cut(safeText(answer.message), DESCRIPTION_MAX) : "";
}
