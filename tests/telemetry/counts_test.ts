import { assertEquals } from "@std/assert";
import type { Answer } from "../../src/engine/mod.ts";
import { ANSWER_LABELS, answerLabel, CountingObserver } from "../../src/telemetry/counts.ts";
import { RECENT_MAX, RecentRequests } from "../../src/telemetry/recent.ts";
import { caller, denied, flight, record, routed } from "./_records.ts";
import { after, RX, TestRouter } from "./_router.ts";

const OK: Answer = {
  kind: "ok",
  resumed: true,
  actor: { status: 2, workerIp: "10.0.0.1", templateNamespace: "n", templateName: "t" },
};

function status(code: number): Answer {
  return { kind: "status", code, message: "" };
}

Deno.test("labels of answers are a closed set", () => {
  const labels = new Set<string>();
  for (let code = -3; code < 3_000; code++) labels.add(answerLabel(status(code)));
  assertEquals(labels.size, 17);
  assertEquals(answerLabel(status(8)), "RESOURCE_EXHAUSTED");
  assertEquals(answerLabel(status(17)), "UNKNOWN");
  assertEquals(answerLabel(OK), "OK");
  assertEquals(answerLabel({ kind: "lost", why: "x" }), "LOST");
  assertEquals(answerLabel({ kind: "fault", why: "x" }), "FAULT");
  assertEquals(new Set(ANSWER_LABELS), new Set([...labels, "LOST", "FAULT"]));
  assertEquals(ANSWER_LABELS.length, 19);
});

Deno.test("everything that happened is counted once", () => {
  const observer = new CountingObserver();
  observer.flightBegan();
  observer.attemptEnded(flight(), status(8));
  observer.attemptEnded(flight(), status(8));
  observer.attemptEnded(flight(), { ...OK, resumed: false });
  observer.attemptEnded(flight(), OK);
  observer.parked();
  observer.parked();
  observer.unparked(caller(), "served");
  observer.unparked(caller(), "canceled");
  observer.shed();
  observer.flightRefused();
  observer.bug();
  observer.warn();
  observer.request(record(routed()));
  observer.request(record(denied({ outcome: "shed" })));
  observer.request(record(denied({ outcome: "shed" })));
  const counts = observer.counts();
  assertEquals([counts.requests.ok, counts.requests.shed, counts.requests.reset], [1, 2, 0]);
  assertEquals(counts.waits, {
    served: 1,
    budget_exhausted: 0,
    canceled: 1,
    timeout: 0,
    error: 0,
  });
  assertEquals(counts.attempts, { RESOURCE_EXHAUSTED: 2, OK: 2 });
  const { parked, shed, flights, flightsRefused, resumed, bugs, warnings } = counts;
  assertEquals([parked, shed, flights, flightsRefused, resumed, bugs, warnings], [
    2,
    1,
    1,
    1,
    1,
    1,
    1,
  ]);
});

Deno.test("counts are a copy", () => {
  const observer = new CountingObserver();
  const before = observer.counts();
  observer.request(record(routed()));
  assertEquals(before.requests.ok, 0);
  assertEquals(observer.counts().requests.ok, 1);
});

Deno.test("the last 100 requests are kept, newest first", () => {
  const recent = new RecentRequests();
  assertEquals(recent.list(), []);
  for (let count = 1; count <= 250; count++) {
    recent.request(record(routed(), { path: `/${count}` }));
    const paths = recent.list().map((each) => each.path);
    assertEquals(paths.length, Math.min(count, RECENT_MAX));
    assertEquals(paths[0], `/${count}`);
    assertEquals(paths.at(-1), `/${Math.max(1, count - RECENT_MAX + 1)}`);
  }
});

Deno.test("an attempt that was withdrawn is not counted as lost: it was never made", () => {
  const observer = new CountingObserver();
  const router = new TestRouter({ observer, plane: { a: [after(1, RX), "queue"] } });
  router.ask("a");
  router.pass(5_000);
  assertEquals(observer.counts().attempts, { RESOURCE_EXHAUSTED: 1 });
  assertEquals(router.verdicts.map(({ attempts }) => attempts), [1]);
});
