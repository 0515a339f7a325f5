// Chaos without a reference: whole milliseconds so that timers tie, an event loop that stalls, askers
// that ask, leave and stop parking from inside their verdicts. What must hold is only what always
// holds. Replay one run with SEED=<the printed seed>.
import { assert, assertEquals } from "@std/assert";
import {
  type AttemptSink,
  type CallerView,
  createEngine,
  type Engine,
  type FlightView,
  PARKING_DEFAULTS,
  type ParkingPolicy,
  type PendingRequest,
} from "../../src/engine/mod.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { runSeed, seeded } from "../support/seeded.ts";
import { LOST, ok, RX, status } from "../support/stage.ts";

const ROUNDS = 40;
const STEPS = 400;
const ANSWERS = [RX, RX, RX, status(10), status(14), LOST, ok(), ok("10.0.0.7", false), status(5)];
const STALL_MS_MAX = 3_000;
/** Asks from inside verdicts, a step: enough to nest, not enough to go on for ever. */
const NESTED_MAX = 6;

class Chaos {
  readonly clock = new FakeClock();
  readonly engine: Engine;
  readonly pending: Map<number, PendingRequest> = new Map();
  readonly askedAtMs: Map<number, number> = new Map();
  readonly told: Set<number> = new Set();
  readonly holding: Set<CallerView> = new Set();
  readonly joined: Set<CallerView> = new Set();
  readonly flights: Set<FlightView> = new Set();
  readonly attempting: Set<string> = new Set();
  readonly bugs: string[] = [];
  readonly #limitMs: number;
  #next = 0;
  #nested = 0;

  constructor(readonly policy: ParkingPolicy, readonly chance: () => number) {
    this.#limitMs = (policy.max > 0 ? policy.budgetMs : 15_000) + 4_500;
    this.engine = createEngine({
      clock: this.clock,
      draw: chance,
      policy,
      flightsMax: 6,
      workerPort: 80,
      controlPlane: { resume: ({ actor }, sink) => this.#resume(actor.actorId, sink) },
      observer: this.#observer(),
    });
  }

  #observer() {
    return {
      flightBegan: (flight: FlightView) => void this.flights.add(flight),
      flightEnded: (flight: FlightView) => {
        assert(this.flights.delete(flight), "a flight ends once");
      },
      callerJoined: (caller: CallerView) => void this.joined.add(caller),
      callerEnded: (caller: CallerView) => {
        assert(this.joined.delete(caller), "a caller ends once");
        assert(!this.holding.has(caller), "its slot is back before it is told");
      },
      attemptBegan: ({ actor }: FlightView) => {
        assert(!this.attempting.has(actor.actorId), "one attempt at a time per actor");
        this.attempting.add(actor.actorId);
        return undefined;
      },
      attemptEnded: ({ actor }: FlightView, _: unknown, tookMs: number) => {
        assert(this.attempting.delete(actor.actorId) && tookMs >= 0);
      },
      attemptWithdrawn: ({ actor }: FlightView) => {
        assert(this.attempting.delete(actor.actorId));
      },
      parked: (caller: CallerView) => {
        assert(!this.holding.has(caller), "one slot per caller");
        this.holding.add(caller);
      },
      unparked: (caller: CallerView, _: unknown, waitedMs: number) => {
        assert(this.holding.delete(caller) && waitedMs >= 0, "a slot is given back once");
      },
      shed: (caller: CallerView) => {
        assert(!this.holding.has(caller));
        assertEquals(this.holding.size, this.policy.max, "nobody is shed from a lot with room");
      },
      bug: (what: string) => void this.bugs.push(what),
    };
  }

  #resume(actor: string, sink: AttemptSink) {
    assert(this.attempting.has(actor));
    const tookMs = Math.floor(this.chance() * (this.chance() < 0.1 ? 12_000 : 80));
    let state: "queued" | "started" | "over" = "queued";
    const start = () => {
      if (state !== "queued") return;
      state = "started";
      sink.started();
      this.clock.after(tookMs, () => {
        state = "over";
        sink.answered(this.#pick(ANSWERS));
      });
    };
    const turn = this.chance();
    if (turn < 0.8) start();
    else if (turn < 0.95) this.clock.after(Math.floor(this.chance() * 500), start);
    return {
      withdraw() {
        if (state !== "queued") return false;
        state = "over";
        return true;
      },
    };
  }

  #pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.chance() * list.length)]!;
  }

  #ask(): void {
    const id = this.#next++;
    this.askedAtMs.set(id, this.clock.now());
    const verdict = () => {
      assert(!this.told.has(id), `${id} is told twice`);
      this.told.add(id);
      this.pending.delete(id);
      const waitedMs = this.clock.now() - this.askedAtMs.get(id)!;
      assert(waitedMs <= this.#limitMs + STALL_MS_MAX, `${id} waited ${waitedMs} ms`);
      if (this.chance() < 0.5 && this.#nested++ < NESTED_MAX) this.#act();
    };
    const deadlineMs = this.chance() < 0.2 ? Math.floor(this.chance() * 1_000) : undefined;
    const actor = { atespace: "s", actorId: this.#pick(["a", "b", "c", "d", "e", "f", "g"]) };
    const request = this.engine.ask(actor, { verdict }, { deadlineMs });
    if (!this.told.has(id)) this.pending.set(id, request);
  }

  #act(): void {
    const what = this.chance();
    if (what < 0.7) this.#ask();
    else if (what < 0.995) {
      const request = this.#pick([...this.pending.values(), undefined]);
      request?.leave(this.#pick(["canceled", "reset", "timeout", "fault"] as const));
    } else this.engine.stopParking();
  }

  step(): void {
    this.#nested = 0;
    this.#act();
    if (this.chance() < 0.05) this.clock.stall(Math.floor(this.chance() * STALL_MS_MAX));
    this.clock.advance(Math.floor(this.chance() * 40));
    this.check();
  }

  check(): void {
    const { flights, callers, attemptsInProgress, parking, resolving, parkedFlights } = this.engine
      .snapshot();
    assertEquals(parking.active, this.holding.size);
    assert(parking.active <= this.policy.max);
    assertEquals(flights, this.flights.size);
    assertEquals(resolving + parkedFlights, flights);
    assertEquals(callers, this.joined.size);
    assertEquals(callers, this.pending.size);
    assertEquals(attemptsInProgress, this.attempting.size);
    assertEquals(this.bugs, []);
  }

  finish(): void {
    this.clock.advance(120_000);
    this.check();
    assertEquals([this.told.size, this.pending.size, this.flights.size], [this.#next, 0, 0]);
    assertEquals([this.attempting.size, this.clock.armed], [0, 0]);
  }
}

const seed = runSeed();

Deno.test(`what always holds does, over ${ROUNDS * STEPS} steps of chaos`, () => {
  console.log(`chaos test: SEED=${seed}`);
  const chance = seeded(seed);
  for (let index = 0; index < ROUNDS; index++) {
    const chaos = new Chaos({
      ...PARKING_DEFAULTS,
      budgetMs: [2_000, 50, 1][index % 3]!,
      max: [2, 0, 5, 1][index % 4]!,
      retryIntervalMs: [100, 7, 1_000][index % 3]!,
      retryFactor: [1, 1.5, 1e6][index % 3]!,
      retryJitter: [0, 0.999][index % 2]!,
      lastChance: index % 5 !== 0,
    }, chance);
    for (let step = 0; step < STEPS; step++) chaos.step();
    chaos.finish();
  }
});
