// What observers hear, in which order, with what: metrics, traces and logs hang on it.
import { assertEquals } from "@std/assert";
import {
  type ActorRef,
  createEngine,
  type Observer,
  type ResumeRequest,
  type TraceContext,
} from "../../src/engine/mod.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { ok, POLICY, RX } from "../support/stage.ts";
import type { Answer, AttemptSink } from "../../src/engine/mod.ts";

const A: ActorRef = { atespace: "s", actorId: "a" };

function traceOf(digit: string): TraceContext {
  return { traceparent: `00-${digit.repeat(32)}-${digit.repeat(16)}-01` };
}

/** An engine whose observer writes down everything, and whose attempts the test answers. */
class Heard {
  readonly clock = new FakeClock();
  readonly lines: string[] = [];
  readonly requests: ResumeRequest[] = [];
  readonly sinks: AttemptSink[] = [];
  /** Attempts wait for a stream that never comes. */
  noStream = false;
  /** What attempts are to carry; undefined = the flight's own. */
  spanOf: TraceContext | undefined;
  readonly engine;

  constructor() {
    this.engine = createEngine({
      clock: this.clock,
      draw: () => 0,
      policy: { ...POLICY, max: 1 },
      flightsMax: 1,
      workerPort: 80,
      observer: this.#observer(),
      controlPlane: {
        resume: (request, sink) => {
          this.requests.push(request);
          this.sinks.push(sink);
          this.say("resume");
          if (this.noStream) return { withdraw: () => true };
          sink.started();
          return { withdraw: () => false };
        },
      },
    });
  }

  say(line: string): void {
    this.lines.push(`${this.clock.now()} ${line}`);
  }

  ask(name: string, trace?: TraceContext, actor = A) {
    const verdict = () => this.say(`${name} is told`);
    return this.engine.ask(actor, { verdict }, { trace });
  }

  answer(answer: Answer): void {
    this.sinks.at(-1)?.answered(answer);
  }

  #observer(): Observer {
    return {
      flightBegan: ({ actor, startMs }) => this.say(`flight of ${actor.actorId} since ${startMs}`),
      flightEnded: ({ attempts }) => this.say(`flight ended n=${attempts}`),
      flightRefused: () => this.say("flight refused"),
      callerJoined: ({ role, startMs, flight }) =>
        this.say(`${role} since ${startMs} in flight since ${flight.startMs}`),
      callerEnded: ({ role }, { outcome }) => this.say(`${role} ended ${outcome}`),
      attemptBegan: () => {
        this.say("attempt began");
        return this.spanOf;
      },
      attemptEnded: (_, { kind }, tookMs) => this.say(`attempt ended ${kind} in ${tookMs} ms`),
      attemptWithdrawn: ({ attempts }) => this.say(`attempt withdrawn n=${attempts}`),
      parked: ({ role }) => this.say(`${role} parked`),
      unparked: ({ role }, outcome, waitedMs) =>
        this.say(`${role} unparked ${outcome} after ${waitedMs} ms`),
      shed: ({ role }) => this.say(`${role} shed`),
      bug: (what) => this.say(`BUG ${what}`),
    };
  }
}

Deno.test("the life of a flight: begun, parked, shed, served; each thing said once and in order", () => {
  const heard = new Heard();
  heard.clock.advance(5);
  heard.ask("x");
  heard.clock.advance(10);
  heard.ask("y");
  heard.ask("z", undefined, { atespace: "s", actorId: "b" });
  heard.clock.advance(10);
  heard.answer(RX);
  heard.clock.advance(120);
  heard.answer(ok());
  assertEquals(heard.lines, [
    "5 flight of a since 5",
    "5 leader since 5 in flight since 5",
    "5 attempt began",
    "5 resume",
    "15 joiner since 15 in flight since 5",
    "15 flight refused",
    "15 z is told",
    "25 attempt ended status in 20 ms",
    "25 leader parked",
    "25 joiner shed",
    "25 joiner ended shed",
    "25 y is told",
    "125 attempt began",
    "125 resume",
    "145 attempt ended ok in 20 ms",
    "145 leader unparked served after 120 ms",
    "145 leader ended ok",
    "145 x is told",
    "145 flight ended n=2",
  ]);
});

Deno.test("the last caller leaves: its slot first, then the flight, then the caller", () => {
  const heard = new Heard();
  const caller = heard.ask("x");
  heard.answer(RX);
  heard.lines.length = 0;
  heard.clock.advance(50);
  caller.leave("canceled");
  caller.leave("canceled");
  assertEquals(heard.lines, [
    "50 leader unparked canceled after 50 ms",
    "50 flight ended n=1",
    "50 leader ended cancelled",
    "50 x is told",
  ]);
});

Deno.test("left in the middle of an attempt: the flight ends with the attempt, nobody is told twice", () => {
  const heard = new Heard();
  heard.ask("x").leave("canceled");
  heard.lines.length = 0;
  heard.clock.advance(50);
  heard.answer(RX);
  assertEquals(heard.lines, ["50 attempt ended status in 50 ms", "50 flight ended n=1"]);
});

Deno.test("an attempt that is withdrawn has not ended, it was never made", () => {
  const heard = new Heard();
  heard.noStream = true;
  heard.ask("x").leave("canceled");
  heard.clock.advance(10);
  heard.ask("y");
  heard.lines.length = 0;
  heard.clock.advance(2_000);
  assertEquals(heard.lines, [
    "2010 attempt withdrawn n=0",
    "2010 leader parked",
    "2010 leader unparked budget_exhausted after 0 ms",
    "2010 leader ended unavailable",
    "2010 y is told",
    "2010 flight ended n=0",
  ]);
});

Deno.test("B72: an attempt carries its span's context, or the leader's when there is none", () => {
  const heard = new Heard();
  const [leaders, joiners, span] = ["1", "2", "3"].map(traceOf);
  heard.ask("x", leaders).leave("canceled");
  heard.ask("y", joiners);
  heard.answer(RX);
  heard.spanOf = span;
  heard.clock.advance(100);
  heard.answer(RX);
  heard.spanOf = undefined;
  heard.clock.advance(110);
  assertEquals(heard.requests.map(({ actor, trace }) => [actor, trace]), [
    [A, leaders],
    [A, span],
    [A, leaders],
  ]);
  heard.answer(ok());
});

Deno.test("B72: a caller is seen with its own context, its flight with the leader's", () => {
  const seen: unknown[] = [];
  const engine = createEngine({
    clock: new FakeClock(),
    draw: () => 0,
    policy: POLICY,
    flightsMax: 1,
    workerPort: 80,
    observer: { callerJoined: ({ trace, flight }) => void seen.push([trace, flight.trace]) },
    controlPlane: { resume: () => ({ withdraw: () => true }) },
  });
  const [leaders, joiners] = ["1", "2"].map(traceOf);
  for (const trace of [leaders, joiners, undefined]) {
    engine.ask(A, { verdict() {} }, { trace });
  }
  assertEquals(seen, [[leaders, leaders], [joiners, leaders], [undefined, leaders]]);
  engine.close();
});
