import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { monotonicClock } from "../../src/process/platform.ts";
import { Telemetry } from "../../src/telemetry/telemetry.ts";
import { otlpReceiver } from "./_otlp.ts";
import { collectingLog, TRACEPARENT } from "./_records.ts";
import { after, ok, TestRouter } from "./_router.ts";
import { endpoint, find, someTraffic, withTelemetry } from "./_telemetry.ts";

Deno.test("B36: the parking instruments arrive with their names, units and buckets", async () => {
  await using receiver = otlpReceiver();
  await withTelemetry(async ({ telemetry, observer }) => {
    someTraffic(observer);
    await telemetry.flush();
    const metrics = receiver.exports.at(-1);
    const active = find(metrics, "atenet.router.parking.active");
    assertEquals([active.kind, active.unit, active.points[0]?.value], ["sum", "{request}", 2]);
    const wait = find(metrics, "atenet.router.parking.wait.duration");
    assertEquals([wait.kind, wait.unit, wait.temporality], ["histogram", "s", 2]);
    assertEquals(wait.points.map((point) => [point.attributes, point.count, point.sum]), [
      [{ outcome: "served" }, 1, 0.11],
    ]);
    assertEquals(wait.points[0]?.bounds, [
      .001,
      .005,
      .01,
      .025,
      .05,
      .1,
      .25,
      .5,
      1,
      2.5,
      5,
      7.5,
      10,
      15,
      30,
      60,
    ]);
    assertEquals(wait.points[0]?.counts, [0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    const rejected = find(metrics, "atenet.router.parking.rejected");
    assertEquals([rejected.kind, rejected.points[0]?.value], ["sum", 0]);
    find(metrics, "atenet.router.route.duration");
    assertEquals(receiver.resource["service.name"], "atenet-router");
    assertEquals(receiver.resource["service.version"], "0.1.0");
    assertEquals(receiver.resource["service.instance.id"], "router-0");
  }, endpoint(receiver, { OTEL_TRACES_EXPORTER: "none" }));
});

Deno.test("B37: the last interval is sent by flush: what ended in the drain and active 0", async () => {
  await using receiver = otlpReceiver();
  await withTelemetry(async ({ telemetry, observer }) => {
    const router = someTraffic(observer);
    router.pass(10_000);
    assertEquals(receiver.exports, []);
    await telemetry.flush();
    const metrics = receiver.exports.at(-1);
    const wait = find(metrics, "atenet.router.parking.wait.duration");
    assertEquals(
      Object.fromEntries(wait.points.map((point) => [point.attributes.outcome, point.count])),
      { served: 1, budget_exhausted: 2 },
    );
    assertEquals(find(metrics, "atenet.router.parking.active").points[0]?.value, 0);
  }, endpoint(receiver, { OTEL_METRIC_EXPORT_INTERVAL: "60000", OTEL_TRACES_EXPORTER: "none" }));
});

Deno.test("spans arrive, nested and with the context that was sent on", async () => {
  await using receiver = otlpReceiver();
  await withTelemetry(async ({ telemetry, observer }) => {
    const router = someTraffic(observer);
    router.pass(10_000);
    await telemetry.flush();
    const trace = receiver.spans.filter((span) => span.traceId === TRACEPARENT.slice(3, 35));
    const request = trace.find((span) => span.name === "atenet.request");
    assertEquals(request?.parentId, TRACEPARENT.slice(36, 52));
    assertEquals(request?.events.map((event) => event.name), ["parked", "unparked"]);
    assertEquals(trace.map((span) => span.name).sort(), [
      "ateapi.Control/ResumeActor",
      "ateapi.Control/ResumeActor",
      "atenet.flight",
      "atenet.request",
    ]);
    const attempts = trace.filter((span) => span.name.endsWith("ResumeActor"));
    assert(attempts.some((span) => router.sent[0]?.traceparent.includes(span.spanId)));
  }, endpoint(receiver, { OTEL_METRICS_EXPORTER: "none" }));
});

Deno.test("the page and the push show the same numbers", async () => {
  await using receiver = otlpReceiver();
  await withTelemetry(async ({ telemetry, observer }) => {
    telemetry.listen();
    const view = telemetry.view();
    assertEquals([view.on, view.otlp, view.traces], [true, `${receiver.url}/v1/metrics`, true]);
    someTraffic(observer).pass(10_000);
    const page = await (await fetch(`http://${view.prometheus}/metrics`)).text();
    await telemetry.flush();
    const pushed = find(receiver.exports.at(-1), "atenet.router.parking.wait.duration").points
      .find((point) => point.attributes.outcome === "budget_exhausted");
    const name = "atenet_router_parking_wait_duration_seconds_sum";
    assert(page.includes(`${name}{outcome="budget_exhausted"} ${pushed?.sum}\n`), page);
    assert(page.includes('service_name="atenet-router"'), "target_info");
    const again = await (await fetch(`http://${view.prometheus}/metrics`)).text();
    assert(again.includes(name), "the page stays up after the flush");
  }, { ...endpoint(receiver), metricsListenAddr: "127.0.0.1:0" });
});

Deno.test("a collector that wants deltas gets them, the page goes on counting from the start", async () => {
  await using receiver = otlpReceiver();
  // The exporter reads its preference from the process.
  const preference = "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE";
  Deno.env.set(preference, "delta");
  try {
    await withTelemetry(async ({ telemetry, observer }) => {
      telemetry.listen();
      const router = new TestRouter({ observer, plane: { a: [after(10, ok(false))] } });
      const seen: (readonly [number, string | undefined])[] = [];
      for (let round = 0; round < 3; round++) {
        router.ask("a");
        router.pass(100);
        await telemetry.flush();
        const route = find(receiver.exports.at(-1), "atenet.router.route.duration");
        assertEquals(route.temporality, 1);
        const page = await (await fetch(`http://${telemetry.view().prometheus}/metrics`)).text();
        const count = /route_duration_seconds_count\{[^}]*\} (\d+)/.exec(page)?.[1];
        seen.push([route.points[0]?.count ?? 0, count]);
      }
      assertEquals(seen, [[1, "1"], [1, "2"], [1, "3"]]);
    }, {
      ...endpoint(receiver, { OTEL_TRACES_EXPORTER: "none" }),
      metricsListenAddr: "127.0.0.1:0",
    });
  } finally {
    Deno.env.delete(preference);
  }
});

Deno.test("with everything off nothing is observed and the view says so", async () => {
  await withTelemetry(({ telemetry }) => {
    telemetry.listen();
    assertEquals(telemetry.observers, []);
    assertEquals(telemetry.view(), { on: false, prometheus: null, otlp: null, traces: false });
    return telemetry.flush();
  });
});

Deno.test("with parking off no instrument of the lot exists", async () => {
  await using receiver = otlpReceiver();
  await withTelemetry(async ({ telemetry, observer }) => {
    new TestRouter({ observer, policy: { max: 0 } }).ask("a");
    await telemetry.flush();
    const names = receiver.exports.flat().map((metric) => metric.name);
    assertEquals(names.filter((name) => name.includes("parking")), []);
  }, { ...endpoint(receiver), parking: false });
});

Deno.test("a collector that is away is said in the log; the router does not notice", async () => {
  const gone = otlpReceiver();
  await gone[Symbol.asyncDispose]();
  // The exporter reads its own timeout from the process.
  Deno.env.set("OTEL_EXPORTER_OTLP_TIMEOUT", "100");
  try {
    await withTelemetry(async ({ telemetry, observer, lines }) => {
      someTraffic(observer);
      await telemetry.flush().catch(() => {});
      const said = lines.objects().filter((line) => line.msg === "telemetry");
      assert(said.length > 0, "nothing was said");
      assertEquals(said.filter((line) => line.level !== "warn"), []);
    }, endpoint(gone, { OTEL_TRACES_EXPORTER: "none" }));
  } finally {
    Deno.env.delete("OTEL_EXPORTER_OTLP_TIMEOUT");
  }
});

Deno.test("a collector that refuses is said in the log, without its answer's secrets", async () => {
  await using receiver = otlpReceiver(() => new Response("token=S1", { status: 401 }));
  await withTelemetry(async ({ telemetry, observer, lines }) => {
    someTraffic(observer);
    await telemetry.flush().catch(() => {});
    const said = lines.objects().filter((line) => line.msg === "telemetry");
    assert(said.length > 0, "nothing was said");
    assert(!JSON.stringify(said).includes("S1"), JSON.stringify(said));
  }, endpoint(receiver, { OTEL_TRACES_EXPORTER: "none" }));
});

Deno.test("bad variables and addresses are refused before anything listens", () => {
  const make = (env: Record<string, string>, metricsListenAddr = "") =>
    new Telemetry({
      env,
      version: "0",
      instance: "x",
      parking: true,
      metricsListenAddr,
      clock: monotonicClock(),
      log: collectingLog().log,
    });
  assertThrows(
    () => make({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://c", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }),
    Error,
    "OTEL_EXPORTER_OTLP_PROTOCOL: grpc (only http/protobuf is supported)",
  );
  assertThrows(() => make({}, "nowhere"), RangeError, "metrics address: nowhere");
});

Deno.test("an occupied metrics address is an error that names it", async () => {
  await withTelemetry(async ({ telemetry }) => {
    telemetry.listen();
    const taken = telemetry.view().prometheus ?? "";
    await withTelemetry(async ({ telemetry: second }) => {
      await assertRejects(() => Promise.resolve().then(() => second.listen()), Error, taken);
    }, { metricsListenAddr: taken });
  }, { metricsListenAddr: "127.0.0.1:0" });
});
