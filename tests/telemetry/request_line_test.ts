import { assert, assertEquals } from "@std/assert";
import type { RequestRecord } from "../../src/engine/mod.ts";
import { LogObserver } from "../../src/telemetry/log_observer.ts";
import { requestLine, worthInfo } from "../../src/telemetry/request_line.ts";
import { collectingLog, denied, record, routed, TRACEPARENT } from "./_records.ts";

const EXHAUSTED = denied({ outcome: "no_capacity", park: "budget_exhausted", parkedMs: 2_001 });

/** Verdict, level, message. */
const LINES: readonly (readonly [RequestRecord, string, string])[] = [
  [record(routed()), "debug", "request routed"],
  [record(routed({ park: "served", parkedMs: 612 })), "info", "request parked and served"],
  [record(EXHAUSTED), "info", "request parked, budget exhausted"],
  [record(denied({ outcome: "shed" })), "info", "request shed"],
  [
    record(denied({ outcome: "cancelled", park: "canceled", httpStatus: 408 })),
    "info",
    "request parked, client left",
  ],
  [record(denied({ outcome: "cancelled", httpStatus: 408 })), "info", "request canceled by client"],
  [record(denied({ outcome: "timeout", park: "timeout" })), "info", "request parked, timed out"],
  [record(denied({ outcome: "not_found", park: "error" })), "info", "request parked, failed"],
  [record(denied({ outcome: "reset", park: "error" })), "info", "request reset by shutdown"],
  [record(denied({ outcome: "reset" })), "info", "request reset by shutdown"],
  [record(denied({ outcome: "error" })), "info", "request failed"],
  [record(denied({ outcome: "not_found" })), "info", "request failed"],
];

Deno.test("parked, shed and failed requests are told at info, the rest at debug", () => {
  for (const [request, level, msg] of LINES) {
    const line = requestLine(request);
    assertEquals([line.level, line.msg], [level, msg]);
    assertEquals(worthInfo(request.verdict), level === "info");
  }
});

Deno.test("B53: the line carries code, attempts, waited ms and the role", () => {
  const request = record(
    routed({
      park: "served",
      parkedMs: 612,
      attempts: 5,
      role: "joiner",
      resume: "joined",
      code: "RESOURCE_EXHAUSTED",
    }),
    { trace: { traceparent: TRACEPARENT } },
  );
  assertEquals(requestLine(request).fields, {
    actor: "a1",
    atespace: "demo",
    host: undefined,
    path: "/p",
    outcome: "ok",
    park: "served",
    waited_ms: 612,
    took_ms: 2.3,
    attempts: 5,
    role: "joiner",
    resume: "joined",
    code: "RESOURCE_EXHAUSTED",
    target: "10.0.3.7:80",
    status: undefined,
    delivered: undefined,
    trace_id: "0af7651916cd43dd8448eb211c80319c",
  });
});

Deno.test("B53: shed, exhausted and unavailable are three different lines", () => {
  const { log, objects } = collectingLog("info");
  const observer = new LogObserver(log);
  observer.request(record(denied({ outcome: "shed", attempts: 1, code: "RESOURCE_EXHAUSTED" })));
  observer.request(record({ ...EXHAUSTED, code: "RESOURCE_EXHAUSTED", attempts: 9 }));
  observer.request(record(denied({ outcome: "unavailable" })));
  const told = objects().map(({ msg, outcome, code, status }) => ({ msg, outcome, code, status }));
  assertEquals(told, [
    { msg: "request shed", outcome: "shed", code: "RESOURCE_EXHAUSTED", status: 503 },
    {
      msg: "request parked, budget exhausted",
      outcome: "no_capacity",
      code: "RESOURCE_EXHAUSTED",
      status: 503,
    },
    { msg: "request failed", outcome: "unavailable", code: "UNAVAILABLE", status: 503 },
  ]);
});

Deno.test("B73: a request cut by the shutdown has a reason of its own and is never served", () => {
  const line = requestLine(record(denied({ outcome: "reset", park: "error" }), {
    delivered: false,
  }));
  assertEquals(line.msg, "request reset by shutdown");
  assertEquals([line.fields.outcome, line.fields.park, line.fields.delivered], [
    "reset",
    "error",
    false,
  ]);
});

Deno.test("a host that is no actor's is shown instead of the actor", () => {
  const line = requestLine(record(denied({ outcome: "invalid_host", httpStatus: 404 }), {
    actor: undefined,
    host: "***@evil",
  }));
  assertEquals([line.fields.actor, line.fields.host, line.fields.status], [
    undefined,
    "***@evil",
    404,
  ]);
});

Deno.test("a routed request costs no line at info", () => {
  const { log, lines } = collectingLog("info");
  new LogObserver(log).request(record(routed()));
  assertEquals(lines, []);
});

Deno.test("lines of parked requests are never left out: they hold the trace id", () => {
  const { log, lines } = collectingLog("info");
  const observer = new LogObserver(log);
  for (let count = 0; count < 2_000; count++) observer.request(record(EXHAUSTED));
  assertEquals(lines.length, 2_000);
  log.close();
});

Deno.test("shed requests beyond 500 a second, warnings and bugs are counted", () => {
  const { log, objects } = collectingLog("info");
  const observer = new LogObserver(log);
  for (let count = 0; count < 600; count++) observer.request(record(denied({ outcome: "shed" })));
  for (let count = 0; count < 30; count++) {
    observer.warn("unexpected message", "RequestBody");
    observer.bug("a slot was released twice");
    observer.flightRefused();
  }
  log.close();
  const leftOut = objects().filter((line) => line.left_out);
  assertEquals(leftOut.map((line) => [line.msg, line.left_out]).sort(), [
    ["bug", 20],
    ["request shed", 100],
    ["too many flights open, request refused", 20],
    ["unexpected message", 20],
  ]);
});

Deno.test("B54: nothing that a client sends as a secret reaches the log at debug", () => {
  const { log, lines } = collectingLog("debug");
  const observer = new LogObserver(log);
  observer.request(record(routed(), { path: "/p;token=S1", host: "https://u:S5@h" }));
  observer.request(record(denied({ outcome: "invalid_host" }), {
    actor: undefined,
    host: "https://user:S5@h",
    path: "/p?token=S1",
  }));
  observer.warn("control plane said", "authorization: Bearer S2; cookie: S3");
  assert(lines.length === 3);
  for (const line of lines) assert(!/S[1-6]/.test(line), line);
});
