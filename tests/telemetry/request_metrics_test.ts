import { assert, assertEquals } from "@std/assert";
import { emptyResource } from "@opentelemetry/resources";
import { Code, type Observer, PARK_OUTCOMES, ROUTE_OUTCOMES } from "../../src/engine/mod.ts";
import { MetricsPipeline } from "../../src/telemetry/metrics_pipeline.ts";
import { fanOut } from "../../src/telemetry/observer.ts";
import { ParkingMetrics, RequestMetrics } from "../../src/telemetry/request_metrics.ts";
import { denied, record, routed } from "./_records.ts";
import { namesOf, type Page, parsePage, seriesOf } from "./_page.ts";
import { after, ok, type RouterOptions, RX, status, TestRouter } from "./_router.ts";

const WAIT = "atenet_router_parking_wait_duration_seconds";
const ROUTE = "atenet_router_route_duration_seconds";

function pipeline(): MetricsPipeline {
  return new MetricsPipeline({
    resource: emptyResource(),
    version: "0",
    prometheus: true,
    push: undefined,
  });
}

interface Metered {
  readonly router: TestRouter;
  page(): Promise<Page>;
  text(): Promise<string>;
}

function metered(options: Partial<RouterOptions> = {}): Metered {
  const metrics = pipeline();
  const parking = options.policy?.max !== 0;
  const observers: Observer[] = [new RequestMetrics(metrics)];
  if (parking) observers.push(new ParkingMetrics(metrics));
  const router = new TestRouter({ ...options, observer: fanOut(observers) });
  return { router, text: () => metrics.page(), page: async () => parsePage(await metrics.page()) };
}

/** Values of one name by the value of one label. */
function by(page: Page, name: string, label: string): Record<string, number> {
  const found: Record<string, number> = {};
  for (const [key, value] of seriesOf(page, name)) {
    const at = new RegExp(`${label}="([^"]*)"`).exec(key)?.[1] ?? "";
    found[at] = (found[at] ?? 0) + value;
  }
  return found;
}

Deno.test("a page names the parking metrics from the start, with zeros", async () => {
  const page = await metered().page();
  assertEquals(page.get("atenet_router_parking_active"), 0);
  assertEquals(page.get("atenet_router_parking_rejected_total"), 0);
});

Deno.test("a request served on its first attempt records its route and nothing of the lot", async () => {
  const { router, page } = metered({ plane: { a: [after(40, ok(false))] } });
  router.ask("a");
  router.pass(100);
  const after_ = await page();
  const labels =
    `actor_template_namespace="ns",actor_template_name="tpl",outcome="ok",resume="none"`;
  assertEquals(after_.get(`${ROUTE}_count{${labels}}`), 1);
  assertEquals(after_.get(`${ROUTE}_sum{${labels}}`), 0.04);
  assertEquals(after_.get(`${ROUTE}_bucket{${labels},le="0.025"}`), 0);
  assertEquals(after_.get(`${ROUTE}_bucket{${labels},le="0.05"}`), 1);
  assertEquals(seriesOf(after_, `${WAIT}_count`), []);
  assertEquals(after_.get("atenet_router_parking_active"), 0);
});

Deno.test("buckets are those of the documentation", async () => {
  const { router, page } = metered({ plane: { a: [after(5, RX), after(5, ok())] } });
  router.ask("a");
  router.pass(1_000);
  const bounds = (name: string, all: Page) =>
    seriesOf(all, `${name}_bucket`).map(([key]) => /le="([^"]*)"/.exec(key)?.[1]);
  const all = await page();
  const route = [.001, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 7.5, 10, 15, 30].map(String);
  assertEquals(bounds(ROUTE, all), [...route, "+Inf"]);
  assertEquals(bounds(WAIT, all), [...route, "60", "+Inf"]);
});

Deno.test("B33: each parked request gives one wait sample with its own wait", async () => {
  const { router, page } = metered({
    plane: { a: [after(10, RX), after(10, RX), after(1_500, ok())] },
  });
  router.ask("a", undefined, "leader");
  router.pass(1_000);
  router.ask("a", undefined, "joiner");
  const during = await page();
  assertEquals(during.get("atenet_router_parking_active"), 2);
  router.pass(5_000);
  const end = await page();
  assertEquals(end.get("atenet_router_parking_active"), 0);
  assertEquals(end.get(`${WAIT}_count{outcome="served"}`), 2);
  // The leader is parked from its first answer at 10 ms, the joiner from its arrival at 1,000 ms;
  // both end with the attempt that began at 230 ms and took 1,500 ms.
  const endMs = 10 + 100 + 10 + 110 + 1_500;
  assertEquals(end.get(`${WAIT}_sum{outcome="served"}`), (endMs - 10 + endMs - 1_000) / 1_000);
  assertEquals(by(end, `${ROUTE}_count`, "resume"), { triggered: 1, joined: 1 });
});

Deno.test("B33: waits, slots and rejections add up over all ways to end", async () => {
  const never = [after(1, RX)];
  const plane = {
    served: [after(1, RX), after(1, ok())],
    exhausted: never,
    canceled: never,
    timeout: never,
    error: [after(1, RX), after(1, status(Code.NOT_FOUND))],
    shed: never,
  };
  const { router, page } = metered({ plane, policy: { max: 5 } });
  for (const actor of ["served", "exhausted", "canceled", "timeout", "error"]) router.ask(actor);
  router.pass(50);
  router.ask("shed");
  router.pass(10);
  assertEquals((await page()).get("atenet_router_parking_active"), 5);
  router.leave("canceled");
  router.leave("timeout", "timeout");
  router.pass(10_000);
  const end = await page();
  assertEquals(end.get("atenet_router_parking_active"), 0);
  assertEquals(end.get("atenet_router_parking_rejected_total"), 1);
  assertEquals(
    by(end, `${WAIT}_count`, "outcome"),
    Object.fromEntries(PARK_OUTCOMES.map((outcome) => [outcome, 1])),
  );
});

Deno.test("B31: failures never count as warm traffic, no label is empty", async () => {
  const { router, page } = metered({
    plane: {
      warm: [after(1, ok(false))],
      cold: [after(1, RX), after(1, ok(true))],
      full: [after(1, RX)],
      gone: [after(1, status(Code.NOT_FOUND))],
      left: ["hang"],
      shed: [after(1, RX)],
    },
    policy: { max: 2 },
  });
  for (const actor of ["warm", "cold", "full", "gone", "left"]) router.ask(actor);
  router.pass(20);
  router.ask("shed");
  router.pass(5);
  router.leave("left");
  router.askInvalid("nobody");
  router.pass(10_000);
  const all = await page();
  assertEquals(by(all, `${ROUTE}_count`, "outcome"), {
    ok: 2,
    no_capacity: 1,
    not_found: 1,
    shed: 1,
    cancelled: 1,
    invalid_host: 1,
  });
  for (const [key] of seriesOf(all, `${ROUTE}_count`)) {
    assert(!/=""/.test(key), key);
    const [outcome, resume] = [/outcome="(\w+)"/, /resume="(\w+)"/].map((one) =>
      one.exec(key)?.[1]
    );
    assert(ROUTE_OUTCOMES.includes(outcome as "ok"), key);
    if (outcome !== "ok") assert(key.includes('actor_template_name="unknown"'), key);
    if (outcome === "no_capacity" || outcome === "not_found") assertEquals(resume, "triggered");
  }
  const warm = seriesOf(all, `${ROUTE}_count`).filter(([key]) => key.includes('resume="none"'));
  assertEquals(warm.map(([, count]) => count), [1, 1]);
});

Deno.test("with parking off there is no parking metric", async () => {
  const { router, page } = metered({ plane: { a: [after(1, RX)] }, policy: { max: 0 } });
  router.ask("a");
  router.pass(1_000);
  const names = [...namesOf(await page())];
  assertEquals(names.filter((name) => name.includes("parking")), []);
  assert(names.includes(`${ROUTE}_count`));
});

Deno.test("attempts are timed one by one", async () => {
  const { router, page } = metered({ plane: { a: [after(30, RX), after(300, ok())] } });
  router.ask("a");
  router.pass(1_000);
  const all = await page();
  assertEquals(all.get("atenet_router_attempt_duration_seconds_count"), 2);
  const sum = all.get("atenet_router_attempt_duration_seconds_sum") ?? 0;
  assertEquals(Math.round(sum * 1_000), 330);
});

Deno.test("cardinality is constant over 20,000 actors and invalid hosts", async () => {
  const { router, page } = metered({ policy: { max: 1024 } });
  router.ask("first");
  router.askInvalid("first");
  router.pass(10);
  const before = (await page()).size;
  for (let count = 0; count < 20_000; count++) {
    router.ask(`actor-${count}`);
    router.askInvalid(`host-${count}`);
    if (count % 50 === 0) router.pass(10);
  }
  router.pass(10);
  const all = await page();
  assertEquals(all.size, before);
  assertEquals(by(all, `${ROUTE}_count`, "outcome"), { ok: 20_001, invalid_host: 20_001 });
});

Deno.test("template names are bounded, cut and never empty", async () => {
  const metrics = pipeline();
  const observer = new RequestMetrics(metrics);
  for (let count = 0; count < 1_000; count++) {
    observer.request(record(routed({ templateName: `t${count}` })));
  }
  observer.request(record(routed({ templateNamespace: "", templateName: "" })));
  const all = parsePage(await metrics.page());
  const names = by(all, `${ROUTE}_count`, "actor_template_name");
  assertEquals(Object.keys(names).length, 257);
  assertEquals(names.other, 1_000 - 256 + 1);
  const fresh = pipeline();
  const other = new RequestMetrics(fresh);
  other.request(record(routed({ templateNamespace: "", templateName: "x\n".repeat(200) })));
  other.request(record(denied({ templateNamespace: "unknown", templateName: "unknown" })));
  const page = parsePage(await fresh.page());
  const [key = ""] = seriesOf(page, `${ROUTE}_count`).map(([found]) => found);
  assert(key.includes('actor_template_namespace="unknown"'), key);
  assert((/actor_template_name="([^"]*)"/.exec(key)?.[1]?.length ?? 999) <= 128, key);
});

Deno.test("a clock that steps back gives no negative sample", async () => {
  const metrics = pipeline();
  const observer = new RequestMetrics(metrics);
  observer.request(record(routed(), { startMs: 10, endMs: 5 }));
  observer.attemptEnded(undefined, RX, -1);
  const page = parsePage(await metrics.page());
  assertEquals(by(page, `${ROUTE}_sum`, "outcome"), { ok: 0 });
  assertEquals(page.get("atenet_router_attempt_duration_seconds_sum"), 0);
});
