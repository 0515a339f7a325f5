// One round of the model test: the engine on a fake clock beside the naive reference, fed the same
// events. After every step both must have said the same, and the invariants hold.
import { assert, assertEquals } from "@std/assert";
import {
  ActorStatus,
  type Answer,
  type AttemptSink,
  createEngine,
  type Engine,
  type LeaveReason,
  type ParkingPolicy,
  type PendingRequest,
  type Verdict,
} from "../../src/engine/mod.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { LOST, ok, RX, status } from "../support/stage.ts";
import { Reference } from "./reference.ts";

function notRunning(resumed: boolean): Answer {
  const actor = { status: ActorStatus.CRASHED, workerIp: "10.0.0.7" };
  return { kind: "ok", resumed, actor: { ...actor, templateNamespace: "", templateName: "" } };
}

/** A reason, and the outcomes of the request and of its wait. */
function wayToLeave(chance: number): [LeaveReason, string, string] {
  if (chance < 0.1) return ["reset", "reset", "error"];
  return chance < 0.2 ? ["fault", "error", "error"] : ["canceled", "cancelled", "canceled"];
}

const ANSWERS: readonly Answer[] = [
  RX,
  RX,
  RX,
  status(9, "x"),
  status(10),
  status(14),
  LOST,
  notRunning(true),
  notRunning(false),
  ok(),
  ok("10.0.0.7", false),
  ok("bad"),
  status(5),
  status(7),
  status(4),
  status(16),
  status(13),
  { kind: "fault", why: "x" },
];

const ACTORS = ["a", "b", "c", "d", "e"];

interface Call {
  readonly actor: string;
  readonly sink: AttemptSink;
  started: boolean;
}

/** What must agree of a verdict. */
function said(verdict: Verdict): string {
  const { outcome, park, parkedMs, attempts, role, resume } = verdict;
  const parked = park === undefined ? "" : ` ${park} ${parkedMs}`;
  return `${outcome}${parked} n=${attempts} ${role ?? "-"}/${resume}`;
}

function pick<T>(list: readonly T[], chance: () => number): T | undefined {
  return list[Math.floor(chance() * list.length)];
}

/** A deterministic draw: the same for engine and reference at the same instant. */
function drawAt(nowMs: number): number {
  const x = Math.sin(nowMs * 12.9898) * 43758.5453;
  return x - Math.floor(x);
}

export class Round {
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

  constructor(
    readonly policy: ParkingPolicy,
    readonly flightsMax: number,
    readonly chance: () => number,
  ) {
    const starts = (actor: string) => this.#starts.get(actor)!;
    this.reference = new Reference(policy, flightsMax, drawAt, starts);
    this.engine = createEngine({
      clock: this.clock,
      draw: () => drawAt(this.clock.now()),
      policy,
      flightsMax,
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
    for (const actor of ACTORS) this.#starts.set(actor, this.chance() < 0.85);
    const what = this.chance();
    const nowMs = this.clock.now();
    if (what < 0.35) this.#ask(pick(ACTORS, this.chance)!);
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
      verdict: (verdict: Verdict) => {
        assert(!this.told.has(id), `${id} is told twice`);
        this.told.set(id, `${said(verdict)} @${this.clock.now().toFixed(3)}`);
        this.pending.delete(id);
      },
    };
    const request = this.engine.ask({ atespace: "s", actorId: actor }, asker, { deadlineMs });
    if (!this.told.has(id)) this.pending.set(id, request);
  }

  #leave(nowMs: number): void {
    const id = pick([...this.pending.keys()], this.chance);
    if (id === undefined) return;
    const [reason, word, park] = wayToLeave(this.chance());
    this.reference.leave(nowMs, id, word, park);
    const request = this.pending.get(id)!;
    request.leave(reason);
    request.leave("canceled"); // idempotent
  }

  #answer(nowMs: number): void {
    const call = pick([...this.calls.values()], this.chance);
    if (call === undefined) return;
    // One that has not been sent can only be lost.
    const answer = call.started ? pick(ANSWERS, this.chance)! : LOST;
    this.calls.delete(call.actor);
    this.reference.answer(nowMs, call.actor, answer);
    call.sink.answered(answer);
  }

  #start(): void {
    for (const call of this.calls.values()) {
      if (call.started) continue;
      call.started = true;
      this.reference.start(call.actor);
      call.sink.started();
      return;
    }
  }

  check(): void {
    const snapshot = this.engine.snapshot();
    // In the order in which they were told, too.
    assertEquals([...this.told], [...this.reference.told]);
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

  /** Outcomes and park outcomes of the verdicts since the last check. */
  wordsTold(): string[] {
    return [...this.told.values()].flatMap((line) => line.split(" ").slice(0, 2));
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
