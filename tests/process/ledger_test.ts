import { assertEquals } from "@std/assert";
import {
  type AttemptSink,
  createEngine,
  PARKING_DEFAULTS,
  type ParkOutcome,
  ROUTE_OUTCOMES,
  type RouteOutcome,
  type Verdict,
} from "../../src/engine/mod.ts";
import { DrainLedger, type Ledger, ledgerTerm } from "../../src/process/ledger.ts";
import { caller, denied, flight, record, routed } from "../telemetry/_records.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { ok } from "../support/stage.ts";
import { HandClock } from "./_clock.ts";

const TERMS: Record<RouteOutcome, string> = {
  ok: "routed",
  no_capacity: "denied",
  failed_precondition: "denied",
  conflict: "denied",
  unavailable: "denied",
  shed: "shed",
  not_found: "denied",
  invalid_host: "denied",
  deadline_exceeded: "denied",
  timeout: "timeout",
  permission_denied: "denied",
  unauthenticated: "denied",
  cancelled: "canceled",
  reset: "reset",
  error: "error",
};

function verdict(outcome: RouteOutcome, park?: ParkOutcome): Verdict {
  return outcome === "ok" ? routed({ park }) : denied({ outcome, park });
}

Deno.test("every outcome belongs to one term", () => {
  for (const outcome of ROUTE_OUTCOMES) {
    assertEquals(ledgerTerm(verdict(outcome)), TERMS[outcome], outcome);
  }
});

Deno.test("a parked request whose budget ended is budget_exhausted, whatever blocked it", () => {
  for (
    const outcome of ["no_capacity", "failed_precondition", "conflict", "unavailable"] as const
  ) {
    assertEquals(ledgerTerm(verdict(outcome, "budget_exhausted")), "budget_exhausted");
  }
});

/** open + arrived = all terms + remaining. */
function sum(ledger: Ledger): number {
  const { routed, budget_exhausted, shed, denied, canceled, timeout, error, reset } = ledger;
  return routed + budget_exhausted + shed + denied + canceled + timeout + error + reset;
}

Deno.test("the terms add up to what was open and what arrived", () => {
  const counts = { open: 0, arrived: 0 };
  const ledger = new DrainLedger(new HandClock());
  const arrive = () => (counts.open++, counts.arrived++);
  const end = (ended: Verdict) => {
    counts.open--;
    ledger.request(record(ended));
  };
  for (let count = 0; count < 20; count++) arrive();
  for (let count = 0; count < 7; count++) end(routed());
  assertEquals(ledger.view(), undefined);
  ledger.begin({ open: () => counts.open, arrived: () => counts.arrived });
  for (const outcome of ROUTE_OUTCOMES) {
    arrive();
    end(verdict(outcome));
  }
  end(verdict("no_capacity", "budget_exhausted"));
  const view = ledger.view();
  assertEquals(view?.open_at_signal, 13);
  assertEquals(view?.arrived_since, 15);
  assertEquals(view?.remaining, 12);
  assertEquals(view && sum(view), 16);
  assertEquals(view?.budget_exhausted, 1);
});

Deno.test("late are the routed ones whose flight's budget is over", () => {
  const clock = new HandClock();
  const ledger = new DrainLedger(clock);
  const old = caller({ flight: flight({ startMs: 0, budgetEndMs: 5_000 }) });
  clock.advance(6_000);
  ledger.callerEnded(old, routed());
  ledger.begin({ open: () => 0, arrived: () => 0 });
  ledger.callerEnded(old, routed());
  ledger.callerEnded(old, denied());
  // One that ends now is in time, and one whose budget was started again.
  ledger.callerEnded(caller({ flight: flight({ startMs: 1_000, budgetEndMs: 6_000 }) }), routed());
  ledger.callerEnded(caller({ flight: flight({ startMs: 0, budgetEndMs: 9_000 }) }), routed());
  assertEquals(ledger.view()?.late, 1);
  assertEquals(ledger.view()?.remaining, 0);
});

/** A request that joins at 4 s the flight of one who left at 3 s, and is served at `servedMs`. */
function lateWhenServedAt(servedMs: number): number | undefined {
  const clock = new FakeClock();
  const ledger = new DrainLedger(clock);
  ledger.begin({ open: () => 0, arrived: () => 0 });
  const sinks: AttemptSink[] = [];
  const engine = createEngine({
    clock,
    draw: () => 0,
    controlPlane: {
      resume: (_, sink) => {
        sinks.push(sink);
        sink.started();
        return { withdraw: () => false };
      },
    },
    observer: ledger,
    policy: { ...PARKING_DEFAULTS, budgetMs: 5_000 },
    flightsMax: 10,
    workerPort: 80,
  });
  const actor = { atespace: "s", actorId: "a" };
  const first = engine.ask(actor, { verdict: () => {} }, {});
  clock.advance(3_000);
  first.leave("canceled");
  clock.advance(1_000);
  engine.ask(actor, { verdict: () => {} }, {});
  clock.advance(servedMs - 4_000);
  sinks[0]?.answered(ok());
  assertEquals([sinks.length, engine.flights(10).length], [1, 0]);
  return ledger.view()?.late;
}

Deno.test("a joiner of a flight that everybody had left has a budget of its own", () => {
  assertEquals(lateWhenServedAt(7_000), 0);
  assertEquals(lateWhenServedAt(8_999), 0);
  assertEquals(lateWhenServedAt(9_100), 1);
});
