// The last 10 minutes in 10-second slots, kept in the process: what the status page draws and what
// `status` says about the last minute, also with metrics switched off. Place in the flow: an
// observer. Owner: telemetry. Fixed memory; no timer: a slot is taken into use when time gets there.
import type { HistoryPoint, LastMinute } from "../admin/snapshot.ts";
import type { HistoryView } from "../admin/sources.ts";
import type { Answer, Clock, Observer, ParkOutcome, RequestRecord } from "../engine/mod.ts";
import { isFailure } from "./failure.ts";
import {
  addFailure,
  failuresOf,
  pointOf,
  reasonsOf,
  Slot,
  sumOf,
  waitReason,
  ZERO,
} from "./history_slot.ts";
import { Quantiles } from "./quantiles.ts";

const SLOT_MS = 10_000;
const SLOTS = 60;
/** Slots of the last minute, the one in progress included. */
const MINUTE_SLOTS = 6;

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

  request({ verdict }: Pick<RequestRecord, "verdict">): void {
    const slot = this.#now();
    slot.requests++;
    if (!isFailure(verdict)) return;
    slot.failed++;
    const waited = verdict.park === undefined ? 0 : 1;
    addFailure(slot.failures, { outcome: verdict.outcome, count: 1, waited });
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
    if (answer.kind === "ok" && answer.resumed) slot.resumed++;
    const why = waitReason(answer);
    if (why === undefined) return;
    const reason = slot.reasons.get(why.code);
    if (reason) reason.count++;
    else slot.reasons.set(why.code, { description: why.description, count: 1 });
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
      failures: failuresOf(slots),
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
