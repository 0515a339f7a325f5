import { assert, assertEquals } from "@std/assert";
import { EMPTY_HISTORY, waitingRows } from "../../src/admin/snapshot_parts.ts";
import type { LastMinute } from "../../src/admin/snapshot.ts";
import { summarise } from "../../src/admin/summary.ts";
import type { SummaryFacts } from "../../src/admin/summary_facts.ts";
import type { RouteOutcome } from "../../src/engine/mod.ts";
import { FLIGHT } from "./_sources.ts";

const PARKING = { enabled: true, active: 0, max_parked: 1024, max_wait: "5s" };

function facts(more: Partial<SummaryFacts> = {}, minute: Partial<LastMinute> = {}): SummaryFacts {
  return {
    state: "serving",
    parking: PARKING,
    last_minute: { ...EMPTY_HISTORY.last_minute, seconds: 60, ...minute },
    engine: { attempts_in_progress: 0 },
    flights: [],
    waits: { budget_ms: 5_000 },
    control_plane: { down_ms: 0 },
    envoy: { admin: "127.0.0.1:9901", answering: true },
    drain: null,
    ...more,
  };
}

const SATURATED = { parked: 3_120, served: 2_410, budget_exhausted: 655, canceled: 55 };
const DRAIN = { step: "ext_proc", elapsed_ms: 1, forced: false, ledger: { remaining: 41 } };

const OFF = { enabled: false, active: 0, max_parked: 0, max_wait: "0s" };
const RX = { code: "RESOURCE_EXHAUSTED", description: "no free workers", count: 900 };
const UNAVAILABLE = { code: "UNAVAILABLE", description: "", count: 901 };
const LOST = { code: "LOST", description: "", count: 901 };

type Failed = readonly [outcome: RouteOutcome, count: number, waited?: number];

function failed(requests: number, ...failures: Failed[]): Partial<LastMinute> {
  return {
    requests,
    failed: failures.reduce((sum, [, count]) => sum + count, 0),
    failures: failures.map(([outcome, count, waited = 0]) => ({ outcome, count, waited })),
  };
}

const TABLE: readonly (readonly [SummaryFacts, string, string, string | null])[] = [
  [
    facts({}, { requests: 1_234 }),
    "healthy",
    "Healthy: 1,234 requests in the last minute, none had to wait.",
    null,
  ],
  [
    facts({ parking: { ...PARKING, active: 3 } }, { parked: 120, served: 117, wait_p99_ms: 640 }),
    "coping",
    "Bursting but coping: 120 requests parked in the last minute, 117 served, p99 wait 0.6 s; 3 of 1,024 slots taken.",
    null,
  ],
  [
    facts({}, SATURATED),
    "saturated",
    "Saturated: 655 requests waited 5s in vain in the last minute; 52/s are parked, 40/s served. It will go on until the worker pool grows or load falls.",
    "saturation",
  ],
  [
    facts({}, { ...SATURATED, shed: 1 }),
    "saturated",
    "Saturated: 655 requests waited 5s in vain in the last minute; 52/s are parked, 40/s served. 1 request shed as well. It will go on until the worker pool grows or load falls.",
    "saturation",
  ],
  [
    facts({}, { parked: 5_000, served: 4_990, budget_exhausted: 2, shed: 41 }),
    "lot_too_small",
    "Lot too small: 41 requests shed in the last minute because all 1,024 slots were taken; 4,990 of the 4,992 waits that ended were served.",
    "shedding",
  ],
  [
    facts({ control_plane: { down_ms: 12_300 } }, SATURATED),
    "control_plane_away",
    "Control plane away for 12 s: requests are parked for up to 5s and then get 503.",
    "control-plane-unavailable",
  ],
  [
    facts({
      control_plane: { down_ms: 2_100 },
      parking: OFF,
    }),
    "control_plane_away",
    "Control plane away for 2.1 s: requests get 503.",
    "control-plane-unavailable",
  ],
  [
    facts({ envoy: { admin: "127.0.0.1:9901", answering: false } }),
    "envoy_away",
    "Envoy's admin interface at 127.0.0.1:9901 does not answer: is Envoy up?",
    "no-traffic",
  ],
  [
    facts({ parking: OFF }, {
      requests: 1,
    }),
    "parking_off",
    "Parking is off: 1 request in the last minute, a full pool means 503 at once.",
    null,
  ],
  [
    facts({}, failed(120, ["unauthenticated", 120])),
    "failing",
    "Failing: 120 of 120 requests of the last minute failed, 120 of them with the outcome unauthenticated.",
    "failures",
  ],
  [
    facts({}, {
      ...failed(100, ["timeout", 5, 5], ["error", 1]),
      parked: 20,
      served: 15,
      timeout: 5,
    }),
    "failing",
    "Failing: 6 of 100 requests of the last minute failed, 5 of them with the outcome timeout.",
    "failures",
  ],
  [
    facts({}, {
      ...failed(9_000, ["error", 8, 8]),
      parked: 10,
      served: 2,
      error: 8,
    }),
    "failing",
    "Failing: 8 of 9,000 requests of the last minute failed, 8 of them with the outcome error.",
    "failures",
  ],
  [
    facts({ parking: OFF }, failed(40, ["no_capacity", 39])),
    "failing",
    "Failing: 39 of 40 requests of the last minute failed, 39 of them with the outcome no_capacity.",
    "saturation",
  ],
  [
    facts({ parking: OFF }, failed(40, ["unavailable", 39])),
    "failing",
    "Failing: 39 of 40 requests of the last minute failed, 39 of them with the outcome unavailable.",
    "control-plane-unavailable",
  ],
  [
    facts({ engine: { attempts_in_progress: 41 }, flights: [{ age_ms: 12_300 }] }, { requests: 3 }),
    "failing",
    "Control plane silent: 41 ResumeActor calls in progress, none ended in the last minute; the oldest resume has waited 12 s.",
    "control-plane-unavailable",
  ],
  [
    facts({}, { ...SATURATED, shed: 2, reasons: [UNAVAILABLE, RX] }),
    "failing",
    "Control plane answers UNAVAILABLE: 655 requests waited 5s in vain in the last minute, 2 requests shed.",
    "control-plane-unavailable",
  ],
  [
    facts({}, { parked: 90, shed: 7, reasons: [LOST] }),
    "failing",
    "Control plane loses its calls: 0 requests waited 5s in vain in the last minute, 7 requests shed.",
    "control-plane-unavailable",
  ],
  [
    facts({}, failed(1_234, ["error", 3])),
    "healthy",
    "Healthy: 1,234 requests in the last minute, none had to wait, 3 failed.",
    null,
  ],
  [
    facts({ parking: OFF }, failed(1_234, ["no_capacity", 3])),
    "parking_off",
    "Parking is off: 1,234 requests in the last minute, 3 failed, a full pool means 503 at once.",
    null,
  ],
  [
    facts({}, { ...failed(1_234, ["error", 3, 3]), parked: 100, served: 97, error: 3 }),
    "coping",
    "Bursting but coping: 100 requests parked in the last minute, 97 served; 0 of 1,024 slots taken, 3 failed.",
    null,
  ],
  [
    facts({ state: "draining", drain: DRAIN, control_plane: { down_ms: 60_000 } }),
    "draining",
    "Draining (step ext_proc): 41 requests without a verdict.",
    "rollout-and-shutdown",
  ],
  [
    facts({ state: "starting", control_plane: { down_ms: 60_000 } }),
    "starting",
    "Starting: not every listener is bound, or the first connection is awaited.",
    null,
  ],
];

Deno.test("the sentence names the cause, the numbers and the runbook section", () => {
  for (const [given, kind, text, runbook] of TABLE) {
    assertEquals(summarise(given), { kind, text, runbook } as ReturnType<typeof summarise>);
  }
});

Deno.test("every section the sentence points to is in the runbook", async () => {
  const runbook = await Deno.readTextFile(new URL("../../docs/runbook.md", import.meta.url));
  const anchors = [...runbook.matchAll(/^## (.+)$/gm)].map(([, title = ""]) =>
    title.toLowerCase().replace(/[^a-z0-9 -]/g, "").replaceAll(" ", "-")
  );
  for (const [, , , section] of TABLE) {
    assert(section === null || anchors.includes(section), `${section} of ${anchors}`);
  }
});

Deno.test("one exhausted budget among many is no saturation", () => {
  const summary = summarise(facts({}, { parked: 100, served: 96, budget_exhausted: 4 }));
  assertEquals(summary.kind, "coping");
  const five = summarise(facts({}, { parked: 100, served: 95, budget_exhausted: 5 }));
  assertEquals(five.kind, "saturated");
});

Deno.test("nothing green is said while requests fail, whatever else there is to say", () => {
  const every: Partial<LastMinute>[] = [
    {},
    { parked: 100, served: 100 },
    { parked: 100, served: 90, shed: 4 },
    SATURATED,
  ];
  for (const minute of every) {
    const said = summarise(facts({}, { ...minute, ...failed(100, ["error", 5]) }));
    assertEquals(said.kind, "failing");
    const few = summarise(facts({}, { ...minute, ...failed(101, ["error", 5]) }));
    assert(few.kind !== "failing", few.text);
  }
});

Deno.test("calls in progress are no silence while one is answered, nobody left, or it is early", () => {
  const open = {
    engine: { attempts_in_progress: 9 },
    flights: [{ age_ms: 10_000 }, { age_ms: 1 }],
  };
  assertEquals(summarise(facts(open, { requests: 3, attempts: 1 })).kind, "healthy");
  assertEquals(summarise(facts(open)).kind, "healthy");
  const early = { ...open, flights: [{ age_ms: 9_999 }] };
  assertEquals(summarise(facts(early, { requests: 3 })).kind, "healthy");
  assertEquals(summarise(facts(open, { requests: 3 })).kind, "failing");
});

Deno.test("a call that has only begun is no silence, whoever else was refused in a quiet minute", () => {
  const begun = { engine: { attempts_in_progress: 1 }, flights: [{ age_ms: 1_000 }] };
  assertEquals(summarise(facts(begun, { requests: 1 })).kind, "healthy");
});

Deno.test("a call within a budget of more than 10 s is no silence", () => {
  const kinds = [59_999, 60_000].map((age_ms) => {
    const slow = { engine: { attempts_in_progress: 1 }, flights: [{ age_ms }] };
    return summarise(facts({ ...slow, waits: { budget_ms: 60_000 } }, { requests: 1 })).kind;
  });
  assertEquals(kinds, ["healthy", "failing"]);
});

Deno.test("waits that end with an answer which is no failure are none in the sentence either", () => {
  const waits = { parked: 10, served: 2, error: 8 };
  const said = (more: Partial<LastMinute>) => summarise(facts({}, { ...waits, ...more })).kind;
  assertEquals(said(failed(9_000, ["error", 1])), "coping", "eight actors that are gone");
  assertEquals(said(failed(9_000, ["error", 2, 1])), "failing");
});

Deno.test("what most answers say is the cause of waits in vain", () => {
  const kinds = [[UNAVAILABLE, RX], [RX, UNAVAILABLE], [LOST], [RX], []].map((reasons) =>
    summarise(facts({}, { ...SATURATED, reasons })).kind
  );
  assertEquals(kinds, ["failing", "saturated", "failing", "saturated", "saturated"]);
  const served = summarise(facts({}, { parked: 9, served: 9, reasons: [UNAVAILABLE] }));
  assertEquals(served.kind, "coping");
});

Deno.test("a reconnect is not an outage", () => {
  assertEquals(summarise(facts({ control_plane: { down_ms: 2_000 } })).kind, "healthy");
});

Deno.test("waiting requests are counted by atespace, parked flights only, five at most", () => {
  const flight = (atespace: string, callers: number, state: "parked" | "resolving" = "parked") => ({
    ...FLIGHT,
    actor: { atespace, actorId: "a" },
    callers,
    state,
  });
  const rows = waitingRows([
    flight("ci", 2),
    flight("demo", 3),
    flight("ci", 5),
    flight("warm", 9, "resolving"),
    ...["a", "b", "c", "d"].map((space) => flight(space, 1)),
  ]);
  assertEquals(rows.slice(0, 2), [
    { atespace: "ci", callers: 7 },
    { atespace: "demo", callers: 3 },
  ]);
  assertEquals(rows.length, 5);
});
