// The ledger finds what does not add up: a test of the soak that could not fail would be worth nothing.
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Counters } from "../../src/admin/snapshot.ts";
import { CountingObserver } from "../../src/telemetry/counts.ts";
import type { AccessLogLine } from "../support/envoy.ts";
import type { LogLine } from "../support/router_process.ts";
import { CROWD, drawKind, type Kind, KINDS } from "./kinds.ts";
import { type Books, flawsOf, summaryOf } from "./ledger.ts";
import type { Sent } from "./traffic.ts";

function kind(name: string): Kind {
  return KINDS.find((one) => one.name === name)!;
}

function sent(name: string, status: number, atMs = 0, left = false): Sent {
  return { kind: kind(name), sentMs: atMs, endMs: atMs + 100, status, left };
}

function logged(n: number, outcome: string, park?: string): LogLine {
  return {
    level: "info",
    msg: "request",
    path: `/${n}`,
    outcome,
    ...(park === undefined ? {} : { park }),
  };
}

function access(n: number, status: number, outcome: string | null): AccessLogLine {
  return {
    ...{ status, host: "h", path: `/${n}`, details: outcome, flags: null, outcome },
    ...{ park: null, parked_ms: 0, attempts: 1, worker: null },
  };
}

function counters(changes: Partial<Counters> = {}): Counters {
  const { flightsRefused, ...zero } = new CountingObserver().counts();
  return { ...zero, flights_refused: flightsRefused, ...changes };
}

function requests(counts: Partial<Counters["requests"]>): Counters["requests"] {
  return { ...counters().requests, ...counts };
}

/** A warm request, a parked one, a client that left, a wrong host: all as it should be. */
function good(): Books {
  return {
    sent: [
      sent("warm", 200),
      sent("parked", 200),
      sent("left", 0, 0, true),
      sent("nobody", 404),
    ],
    logged: [
      logged(0, "ok"),
      logged(1, "ok", "served"),
      logged(2, "cancelled", "canceled"),
      logged(3, "invalid_host"),
    ],
    access: [
      access(0, 200, "ok"),
      access(1, 200, "ok"),
      access(2, 0, null),
      access(
        3,
        404,
        "invalid_host",
      ),
    ],
    counters: counters({
      requests: requests({ ok: 2, cancelled: 1, invalid_host: 1 }),
      waits: { ...counters().waits, served: 1, canceled: 1 },
      parked: 2,
    }),
    troubles: [],
  };
}

Deno.test("books that add up have no flaw", () => {
  assertEquals(flawsOf(good()), []);
  assertEquals(summaryOf(good()), [
    "warm: 1 × 200 ok",
    "parked: 1 × 200 ok",
    "left: 1 × left cancelled",
    "nobody: 1 × 404 invalid_host",
  ]);
});

Deno.test("every kind of flaw is found", () => {
  const rows: [flaw: string, change: (books: Books) => Partial<Books>][] = [
    ["not in the router's log: warm 0", ({ logged }) => ({ logged: logged.slice(1) })],
    ["not in Envoy's log: warm 0", ({ access }) => ({ access: access.slice(1) })],
    ["router: two lines for 1", ({ logged }) => ({ logged: [...logged, logged[1]!] })],
    ["Envoy: two lines for 2", ({ access }) => ({ access: [...access, access[2]!] })],
    ["router: a line of nobody: /9", (books) => ({ logged: [...books.logged, logged(9, "ok")] })],
    [
      "no end: warm 0",
      ({ sent: [one, ...rest] }) => ({ sent: [{ ...one!, endMs: NaN }, ...rest] }),
    ],
    ["ended wrongly: warm 0", (books) => ({ sent: [sent("warm", 503), ...books.sent.slice(1)] })],
    [
      "ended wrongly: nobody 3",
      (books) => ({
        sent: [...books.sent.slice(0, 3), sent("nobody", 503)],
        troubles: [{ what: "kill", fromMs: 0, toMs: 1_000 }],
      }),
    ],
    [
      "Envoy saw another status: parked 1",
      (books) => ({ access: books.access.with(1, access(1, 504, "ok")) }),
    ],
    [
      "Envoy was told another outcome: parked 1",
      (books) => ({ access: books.access.with(1, access(1, 200, null)) }),
    ],
    ["ok: counted 3, logged 2", () => ({ counters: changed({ requests: { ok: 3 } }) })],
    ["wait served: counted 0, logged 1", () => ({ counters: changed({ waits: { served: 0 } }) })],
    ["slots taken and given back: counted 3, logged 2", () => ({ counters: changed({}, 3) })],
    ["shed: counted 1, logged 0", () => ({ counters: { ...good().counters, shed: 1 } })],
    ["bugs: 1", () => ({ counters: { ...good().counters, bugs: 1 } })],
    ["flights refused: 2", () => ({ counters: { ...good().counters, flights_refused: 2 } })],
  ];
  for (const [flaw, change] of rows) {
    const found = flawsOf({ ...good(), ...change(good()) });
    assert(found.some((one) => one.startsWith(flaw)), `${flaw}: ${found.join("\n")}`);
  }
});

function changed(
  change: { requests?: Partial<Counters["requests"]>; waits?: Partial<Counters["waits"]> },
  parked = 2,
): Counters {
  const { counters } = good();
  return {
    ...counters,
    requests: { ...counters.requests, ...change.requests },
    waits: { ...counters.waits, ...change.waits },
    parked,
  };
}

Deno.test("while the control plane is away requests may be refused, before and after not", () => {
  const troubles = [{ what: "kill", fromMs: 1_000, toMs: 2_000 }];
  const at = (atMs: number): Books => ({
    ...good(),
    sent: [sent("warm", 503, atMs), ...good().sent.slice(1)],
    logged: [logged(0, "unavailable"), ...good().logged.slice(1)],
    access: [access(0, 503, "unavailable"), ...good().access.slice(1)],
    counters: changed({ requests: { ok: 1, unavailable: 1 } }),
    troubles,
  });
  for (const atMs of [950, 1_500, 1_990]) assertEquals(flawsOf(at(atMs)), [], `at ${atMs}`);
  for (const atMs of [800, 2_000]) assertEquals(flawsOf(at(atMs)).length, 1, `at ${atMs}`);
});

Deno.test("a client that left may have crossed its verdict, but not be forgotten", () => {
  const outcome = (word: string): Books => ({
    ...good(),
    logged: good().logged.with(2, logged(2, word, word === "shed" ? undefined : "canceled")),
    counters: {
      ...changed({ requests: { cancelled: 0, [word]: 1 } }),
      ...(word === "shed" ? { shed: 1, parked: 1 } : {}),
      waits: { ...good().counters.waits, canceled: word === "shed" ? 0 : 1 },
    },
  });
  assertEquals(flawsOf(outcome("shed")), []);
  assertStringIncludes(flawsOf(outcome("not_found"))[0]!, "ended wrongly: left 2");
});

Deno.test("many flaws are cut, and counted", () => {
  const many = Array.from({ length: 50 }, () => sent("warm", 200));
  const found = flawsOf({ ...good(), sent: many, logged: [], access: [], counters: counters() });
  assertEquals([found.length, found.at(-1)], [21, "and 30 more"]);
});

Deno.test("the shares of the kinds add up, and every kind is drawn", () => {
  assertEquals(KINDS.reduce((sum, { share }) => sum + share, 0), 100);
  const drawn = new Set(Array.from({ length: 1_000 }, (_, i) => drawKind(i / 1_000)));
  assertEquals(drawn, new Set(KINDS));
  assertEquals(drawn.has(CROWD), false);
});
