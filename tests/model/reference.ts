// What the engine must do, written down a second time as naively as possible: no queues, no shared
// timers, everything found by scanning. The model test plays the same events on both.
import type { Answer, ParkingPolicy } from "../../src/engine/mod.ts";

interface Caller {
  id: string;
  startMs: number;
  endMs: number;
  slotMs?: number;
  late: boolean;
}

interface Flight {
  actor: string;
  endMs: number;
  callers: Caller[];
  last?: string;
  /** An attempt is in progress; else it waits for `dueMs`. */
  attempt?: { started: boolean };
  dueMs: number;
  then: "attempt" | "last" | "settle";
  retries: number;
  lastChance: boolean;
}

const WORDS: Record<number, string> = {
  8: "no_capacity",
  9: "failed_precondition",
  10: "conflict",
};
const FINAL: Record<number, string> = {
  4: "deadline_exceeded",
  5: "not_found",
  7: "permission_denied",
};

export class Reference {
  readonly told: Map<string, string> = new Map();
  readonly attempts: string[] = [];
  readonly flights: Map<string, Flight> = new Map();
  stopped = false;

  constructor(
    readonly policy: ParkingPolicy,
    readonly draw: (nowMs: number) => number,
    readonly starts: (actor: string) => boolean,
  ) {}

  get budgetMs(): number {
    return this.policy.max > 0 ? this.policy.budgetMs : 15_000;
  }

  get active(): number {
    return [...this.flights.values()].flatMap((f) => f.callers).filter((c) =>
      c.slotMs !== undefined
    ).length;
  }

  ask(nowMs: number, id: string, actor: string, deadlineMs = Infinity): void {
    const endMs = nowMs + Math.min(deadlineMs, this.budgetMs + 4_500);
    const caller: Caller = { id, startMs: nowMs, endMs, late: this.stopped };
    const flight = this.flights.get(actor);
    if (flight === undefined) {
      const fresh: Flight = {
        actor,
        endMs: nowMs + this.budgetMs,
        callers: [caller],
        dueMs: 0,
        then: "attempt",
        retries: 0,
        lastChance: false,
      };
      this.flights.set(actor, fresh);
      return this.#attempt(nowMs, fresh, false);
    }
    if (flight.last !== undefined) {
      if (caller.late && flight.attempt === undefined) {
        return this.#tell(nowMs, caller, flight.last);
      }
      if (!caller.late && this.policy.max > 0 && !this.#admit(nowMs, caller)) return;
    }
    if (flight.callers.length === 0) {
      flight.endMs = nowMs + this.budgetMs;
      flight.retries = 0;
      flight.lastChance = false;
    }
    flight.callers.push(caller);
  }

  leave(nowMs: number, id: string, outcome: string, park: string): void {
    for (const flight of this.flights.values()) {
      const caller = flight.callers.find((c) => c.id === id);
      if (caller === undefined) continue;
      flight.callers = flight.callers.filter((c) => c !== caller);
      this.#tell(nowMs, caller, outcome, park);
      if (flight.callers.length === 0 && !flight.attempt?.started) {
        this.flights.delete(flight.actor);
      }
    }
  }

  answer(nowMs: number, actor: string, answer: Answer): void {
    const flight = this.flights.get(actor)!;
    delete flight.attempt;
    if (answer.kind === "ok" && answer.actor.workerIp !== "bad") {
      return this.#settle(nowMs, flight, "ok", "served");
    }
    const code = answer.kind === "status" ? answer.code : answer.kind === "lost" ? 14 : 13;
    const word = WORDS[code] ?? (code === 14 ? "unavailable" : FINAL[code] ?? "error");
    const retryable = code === 10 || (this.policy.max > 0 && [8, 9, 14].includes(code));
    if (!retryable) return this.#settle(nowMs, flight, word, "error");
    flight.last = word;
    const stay: Caller[] = [];
    for (const caller of flight.callers) {
      if (caller.late) this.#tell(nowMs, caller, word);
      else if (
        this.policy.max === 0 || caller.slotMs !== undefined || this.#admit(nowMs, caller, stay)
      ) stay.push(caller);
    }
    flight.callers = stay;
    if (stay.length === 0) return void this.flights.delete(actor);
    if (flight.lastChance || nowMs >= flight.endMs) {
      return this.#settle(nowMs, flight, word, "budget_exhausted");
    }
    const { retryIntervalMs, retryFactor, retryJitter, lastChance } = this.policy;
    const delayMs = retryIntervalMs * retryFactor ** flight.retries *
      (1 + retryJitter * this.draw(nowMs));
    const fits = nowMs + delayMs <= flight.endMs;
    flight.dueMs = fits ? nowMs + delayMs : flight.endMs;
    flight.then = fits ? "attempt" : lastChance ? "last" : "settle";
  }

  /** The next instant at which something happens by itself. */
  nextMs(): number {
    let next = Infinity;
    for (const flight of this.flights.values()) {
      if (flight.attempt === undefined) next = Math.min(next, flight.dueMs);
      else if (!flight.attempt.started) next = Math.min(next, flight.endMs);
      for (const caller of flight.callers) next = Math.min(next, caller.endMs);
    }
    return next;
  }

  tick(nowMs: number): void {
    for (const flight of [...this.flights.values()]) {
      for (const caller of [...flight.callers]) {
        if (caller.endMs <= nowMs) this.leave(nowMs, caller.id, "timeout", "timeout");
      }
      if (!this.flights.has(flight.actor)) continue;
      if (flight.attempt === undefined && flight.dueMs <= nowMs) {
        flight.retries++;
        if (flight.then === "settle") this.#settle(nowMs, flight, flight.last!, "budget_exhausted");
        else this.#attempt(nowMs, flight, flight.then === "last");
      } else if (flight.attempt?.started === false && flight.endMs <= nowMs) {
        flight.lastChance = true;
        this.answer(nowMs, flight.actor, { kind: "lost", why: "" });
      }
    }
  }

  #attempt(nowMs: number, flight: Flight, lastChance: boolean): void {
    flight.lastChance = lastChance;
    flight.attempt = { started: this.starts(flight.actor) };
    this.attempts.push(`${flight.actor} @${nowMs.toFixed(3)}`);
  }

  #admit(nowMs: number, caller: Caller, pending: Caller[] = []): boolean {
    const unseen = pending.filter((c) => c.slotMs !== undefined && !this.#isListed(c)).length;
    if (this.active + unseen >= this.policy.max) {
      this.#tell(nowMs, caller, "shed");
      return false;
    }
    caller.slotMs = nowMs;
    return true;
  }

  #isListed(caller: Caller): boolean {
    return [...this.flights.values()].some((flight) => flight.callers.includes(caller));
  }

  #settle(nowMs: number, flight: Flight, word: string, park: string): void {
    this.flights.delete(flight.actor);
    for (const caller of flight.callers) this.#tell(nowMs, caller, word, park);
  }

  #tell(nowMs: number, caller: Caller, word: string, park = ""): void {
    const parked = caller.slotMs === undefined
      ? ""
      : ` ${park} ${Math.round(nowMs - caller.slotMs)}`;
    if (this.told.has(caller.id)) throw new Error(`${caller.id} is told twice`);
    this.told.set(caller.id, `${word}${parked} @${nowMs.toFixed(3)}`);
  }
}
