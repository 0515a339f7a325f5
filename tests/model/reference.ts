// What the engine must do, written down a second time as naively as possible: no queues, no shared
// timers, everything found by scanning. The model test plays the same events on both.
import type { Answer, ParkingPolicy } from "../../src/engine/mod.ts";

interface Caller {
  id: string;
  startMs: number;
  endMs: number;
  slotMs?: number;
  late: boolean;
  leader: boolean;
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
  /** Attempts that started or were answered. */
  made: number;
}

/** How a caller's wait ended: the route word, the park word, and what the answer was. */
interface End {
  word: string;
  park?: string;
  /** OK of an actor that was running already. */
  warm?: boolean;
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
  16: "unauthenticated",
};

export class Reference {
  readonly told: Map<string, string> = new Map();
  readonly attempts: string[] = [];
  readonly flights: Map<string, Flight> = new Map();
  stopped = false;

  constructor(
    readonly policy: ParkingPolicy,
    readonly flightsMax: number,
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
    const flight = this.flights.get(actor);
    const leader = flight === undefined;
    const caller: Caller = { id, startMs: nowMs, endMs, late: this.stopped, leader };
    if (flight === undefined) {
      if (this.flights.size >= this.flightsMax) {
        return void this.told.set(id, `unavailable n=0 -/none @${nowMs.toFixed(3)}`);
      }
      const fresh: Flight = {
        actor,
        endMs: nowMs + this.budgetMs,
        callers: [caller],
        dueMs: 0,
        then: "attempt",
        retries: 0,
        lastChance: false,
        made: 0,
      };
      this.flights.set(actor, fresh);
      return this.#attempt(nowMs, fresh, false);
    }
    if (flight.last !== undefined) {
      if (caller.late && flight.attempt === undefined) {
        return this.#tell(nowMs, flight, caller, { word: flight.last });
      }
      if (!caller.late && this.policy.max > 0 && !this.#admit(nowMs, flight, caller)) return;
    }
    if (flight.callers.length === 0) {
      flight.endMs = nowMs + this.budgetMs;
      flight.retries = 0;
      flight.lastChance = false;
    }
    flight.callers.push(caller);
  }

  leave(nowMs: number, id: string, word: string, park: string): void {
    for (const flight of this.flights.values()) {
      const caller = flight.callers.find((c) => c.id === id);
      if (caller === undefined) continue;
      flight.callers = flight.callers.filter((c) => c !== caller);
      this.#tell(nowMs, flight, caller, { word, park });
      if (flight.callers.length === 0 && !flight.attempt?.started) {
        this.flights.delete(flight.actor);
      }
    }
  }

  /** The attempt of an actor found its stream. */
  start(actor: string): void {
    const flight = this.flights.get(actor)!;
    flight.attempt!.started = true;
    flight.made++;
  }

  answer(nowMs: number, actor: string, answer: Answer): void {
    const flight = this.flights.get(actor)!;
    if (!flight.attempt!.started) flight.made++;
    this.#answered(nowMs, flight, answer);
  }

  #answered(nowMs: number, flight: Flight, answer: Answer): void {
    delete flight.attempt;
    const code = codeOf(answer);
    if (answer.kind === "ok" && code === 0) {
      return this.#settle(nowMs, flight, { word: "ok", park: "served", warm: !answer.resumed });
    }
    const word = WORDS[code] ?? (code === 14 ? "unavailable" : FINAL[code] ?? "error");
    const retryable = code === 10 || (this.policy.max > 0 && [8, 9, 14].includes(code));
    if (!retryable) return this.#settle(nowMs, flight, { word, park: "error" });
    flight.last = word;
    const stay: Caller[] = [];
    for (const caller of flight.callers) {
      if (caller.late) this.#tell(nowMs, flight, caller, { word });
      else if (
        this.policy.max === 0 || caller.slotMs !== undefined ||
        this.#admit(nowMs, flight, caller, stay)
      ) stay.push(caller);
    }
    flight.callers = stay;
    if (stay.length === 0) return void this.flights.delete(flight.actor);
    if (flight.lastChance || nowMs >= flight.endMs) {
      return this.#settle(nowMs, flight, { word, park: "budget_exhausted" });
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
        if (flight.then === "settle") {
          this.#settle(nowMs, flight, { word: flight.last!, park: "budget_exhausted" });
        } else this.#attempt(nowMs, flight, flight.then === "last");
      } else if (flight.attempt?.started === false && flight.endMs <= nowMs) {
        flight.lastChance = true;
        this.#answered(nowMs, flight, { kind: "lost", why: "" });
      }
    }
  }

  #attempt(nowMs: number, flight: Flight, lastChance: boolean): void {
    flight.lastChance = lastChance;
    flight.attempt = { started: this.starts(flight.actor) };
    if (flight.attempt.started) flight.made++;
    this.attempts.push(`${flight.actor} @${nowMs.toFixed(3)}`);
  }

  #admit(nowMs: number, flight: Flight, caller: Caller, pending: Caller[] = []): boolean {
    const unseen = pending.filter((c) => c.slotMs !== undefined && !this.#isListed(c)).length;
    if (this.active + unseen >= this.policy.max) {
      this.#tell(nowMs, flight, caller, { word: "shed" });
      return false;
    }
    caller.slotMs = nowMs;
    return true;
  }

  #isListed(caller: Caller): boolean {
    return [...this.flights.values()].some((flight) => flight.callers.includes(caller));
  }

  #settle(nowMs: number, flight: Flight, end: End): void {
    this.flights.delete(flight.actor);
    for (const caller of flight.callers) this.#tell(nowMs, flight, caller, end);
  }

  #tell(nowMs: number, flight: Flight, caller: Caller, end: End): void {
    const { slotMs, id, leader } = caller;
    const parked = slotMs === undefined ? "" : ` ${end.park} ${Math.round(nowMs - slotMs)}`;
    const resume = flight.made === 0 || end.warm ? "none" : leader ? "triggered" : "joined";
    const words = `n=${flight.made} ${leader ? "leader" : "joiner"}/${resume}`;
    if (this.told.has(id)) throw new Error(`${id} is told twice`);
    this.told.set(id, `${end.word}${parked} ${words} @${nowMs.toFixed(3)}`);
  }
}

/** The gRPC code an answer counts as; 0 = served. */
function codeOf(answer: Answer): number {
  switch (answer.kind) {
    case "ok":
      if (answer.actor.status !== 2) return 9;
      return answer.actor.workerIp === "bad" ? 13 : 0;
    case "status":
      return answer.code;
    case "lost":
      return 14;
    case "fault":
      return 13;
  }
}
