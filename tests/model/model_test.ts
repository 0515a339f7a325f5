// Seeded model test: random joins, leaves, answers, queued attempts and steps of the clock, played on
// the engine and on the naive reference; after every step both must agree and the invariants hold.
// Replay one run with SEED=<the printed seed>.
import { assert, assertEquals } from "@std/assert";
import {
  type Answer,
  type AttemptSink,
  createEngine,
  type Engine,
  PARKING_DEFAULTS,
  type ParkingPolicy,
  type PendingRequest,
} from "../../src/engine/mod.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { runSeed, seeded } from "../support/seeded.ts";
import { LOST, ok, RX, status } from "../support/stage.ts";
import { Reference } from "./reference.ts";

const ROUNDS = 25;
const STEPS_PER_ROUND = 1_000;

const ANSWERS: readonly Answer[] = [
  RX,
  RX,
  RX,
  status(9, "x"),
  status(10),
  status(14),
  LOST,
  ok(),
  ok(),
  ok("bad"),
  status(5),
  status(7),
  status(4),
  status(13),
  { kind: "fault", why: "x" },
];

interface Call {
  readonly actor: string;
  readonly sink: AttemptSink;
  started: boolean;
}

/** A deterministic draw: the same for engine and reference at the same instant. */
function drawAt(nowMs: number): number {
  const x = Math.sin(nowMs * 12.9898) * 43758.5453;
  return x - Math.floor(x);
}

class Round {
  readonly clock = new FakeClock();
  readonly calls: Map<string, Call> = new Map();
  readonly pending: Map<string, PendingRequest> = new Map();
  readonly told: Map<string, string> = new Map();
  readonly attempts: string[] = [];
  readonly bugs: string[] = [];
  readonly engine: Engine;
  readonly reference: Reference;
  active = 0;
  taken = 0;
  waits = 0;
  asked = 0;
  /** Whether the control plane has a free stream at once, by attempt of an actor. */
  readonly #starts: Map<string, boolean> = new Map();

  constructor(readonly policy: ParkingPolicy, readonly chance: () => number) {
    this.reference = new Reference(policy, drawAt, (actor) => this.#starts.get(actor)!);
    this.engine = createEngine({
      clock: this.clock,
      draw: () => drawAt(this.clock.now()),
      policy,
      flightsMax: 1_000,
      workerPort: 80,
      controlPlane: { resume: (request, sink) => this.#resume(request.actor.actorId, sink) },
      observer: {
        parked: () => {
          this.active++;
          this.taken++;
        },
        unparked: () => {
          this.active--;
          this.waits++;
        },
        bug: (what) => this.bugs.push(what),
      },
    });
  }

  #resume(actor: string, sink: AttemptSink) {
    assert(!this.calls.has(actor), `two attempts in progress for ${actor}`);
    const call: Call = { actor, sink, started: this.#starts.get(actor)! };
    this.calls.set(actor, call);
    this.attempts.push(`${actor} @${this.clock.now().toFixed(3)}`);
    if (call.started) sink.started();
    return {
      withdraw: () => {
        if (call.started) return false;
        this.calls.delete(actor);
        return true;
      },
    };
  }

  /** Advances both, one instant at a time. */
  advance(ms: number): void {
    const untilMs = this.clock.now() + ms;
    for (let next = this.reference.nextMs(); next <= untilMs; next = this.reference.nextMs()) {
      this.clock.advanceTo(next);
      this.reference.tick(next);
    }
    this.clock.advanceTo(untilMs);
  }

  step(): void {
    const actors = ["a", "b", "c", "d", "e"];
    for (const actor of actors) this.#starts.set(actor, this.chance() < 0.85);
    const what = this.chance();
    const nowMs = this.clock.now();
    if (what < 0.35) this.#ask(actors[Math.floor(this.chance() * actors.length)]!);
    else if (what < 0.45) this.#leave(nowMs);
    else if (what < 0.75) this.#answer(nowMs);
    else if (what < 0.78) this.#start();
    else if (what < 0.7805 && !this.reference.stopped) {
      this.reference.stopped = true;
      this.engine.stopParking();
    }
    this.advance(2 + this.chance() * (this.chance() < 0.1 ? 3_000 : 60));
  }

  #ask(actor: string): void {
    const id = `r${this.asked++}`;
    const deadlineMs = this.chance() < 0.1 ? this.chance() * 3_000 : undefined;
    const nowMs = this.clock.now();
    this.reference.ask(nowMs, id, actor, deadlineMs);
    const asker = {
      verdict: (verdict: { outcome: string; park: string | undefined; parkedMs: number }) => {
        assert(!this.told.has(id), `${id} is told twice`);
        const parked = verdict.park === undefined ? "" : ` ${verdict.park} ${verdict.parkedMs}`;
        this.told.set(id, `${verdict.outcome}${parked} @${this.clock.now().toFixed(3)}`);
        this.pending.delete(id);
      },
    };
    const request = this.engine.ask({ atespace: "s", actorId: actor }, asker, { deadlineMs });
    if (!this.told.has(id)) this.pending.set(id, request);
  }

  #leave(nowMs: number): void {
    const ids = [...this.pending.keys()];
    const id = ids[Math.floor(this.chance() * ids.length)];
    if (id === undefined) return;
    const reset = this.chance() < 0.2;
    this.reference.leave(nowMs, id, reset ? "reset" : "cancelled", reset ? "error" : "canceled");
    const request = this.pending.get(id)!;
    request.leave(reset ? "reset" : "canceled");
    request.leave("canceled"); // idempotent
  }

  #answer(nowMs: number): void {
    const started = [...this.calls.values()].filter((call) => call.started);
    const call = started[Math.floor(this.chance() * started.length)];
    if (call === undefined) return;
    const answer = ANSWERS[Math.floor(this.chance() * ANSWERS.length)]!;
    this.calls.delete(call.actor);
    this.reference.answer(nowMs, call.actor, answer);
    call.sink.answered(answer);
  }

  #start(): void {
    for (const call of this.calls.values()) {
      if (call.started) continue;
      call.started = true;
      this.reference.flights.get(call.actor)!.attempt!.started = true;
      call.sink.started();
      return;
    }
  }

  check(): void {
    const snapshot = this.engine.snapshot();
    assertEquals(Object.fromEntries(this.told), Object.fromEntries(this.reference.told));
    assertEquals(this.attempts, this.reference.attempts);
    assertEquals(snapshot.parking.active, this.reference.active);
    assertEquals(snapshot.parking.active, this.active);
    assert(this.active >= 0 && this.active <= this.policy.max, `lot ${this.active}`);
    assertEquals(snapshot.attemptsInProgress, this.calls.size);
    assertEquals(snapshot.flights, this.reference.flights.size);
    assertEquals(this.taken - this.waits, this.active);
    assertEquals(this.bugs, []);
    // What has been compared need not be compared again.
    this.told.clear();
    this.reference.told.clear();
    this.attempts.length = 0;
    this.reference.attempts.length = 0;
  }

  /** Everything is answered and time passes: nothing may be left. */
  finish(): void {
    while (this.calls.size > 0 || this.reference.flights.size > 0) {
      for (const actor of this.calls.keys()) this.#starts.set(actor, true);
      this.#start();
      const [call] = this.calls.values();
      if (call?.started) {
        this.calls.delete(call.actor);
        this.reference.answer(this.clock.now(), call.actor, ok());
        call.sink.answered(ok());
      }
      this.advance(50);
      this.check();
    }
    this.clock.advance(60_000);
    const { flights, callers, attemptsInProgress, parking } = this.engine.snapshot();
    assertEquals([flights, callers, attemptsInProgress, parking.active], [0, 0, 0, 0]);
    assertEquals(this.clock.armed, 0);
    assertEquals(this.pending.size, 0);
  }
}

function policyOf(round: number, chance: () => number): ParkingPolicy {
  return {
    ...PARKING_DEFAULTS,
    budgetMs: [2_000, 300, 5_000][round % 3]!,
    max: [3, 1, 8, 0, 100][round % 5]!,
    retryFactor: 1 + chance(),
    lastChance: round % 4 !== 3,
  };
}

const seed = runSeed();

Deno.test(`the engine agrees with the reference over ${ROUNDS * STEPS_PER_ROUND} random steps`, () => {
  console.log(`model test: SEED=${seed}`);
  const chance = seeded(seed);
  for (let index = 0; index < ROUNDS; index++) {
    const round = new Round(policyOf(index, chance), chance);
    for (let step = 0; step < STEPS_PER_ROUND; step++) {
      round.step();
      round.check();
    }
    round.finish();
    assert(round.asked > STEPS_PER_ROUND / 5, "a round that asks nothing proves nothing");
  }
});
