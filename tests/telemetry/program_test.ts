// Telemetry of the real program, up to its last export.
import { assert, assertEquals, assertGreaterOrEqual } from "@std/assert";
import { until } from "../support/until.ts";
import { okReply, statusReply } from "../support/fake_reply.ts";
import { type OtlpReceiver, otlpReceiver, type ReceivedMetric } from "./_otlp.ts";
import { seriesOf } from "./_page.ts";
import { Program, type ProgramOptions, routerCommand, serveWords } from "./_program.ts";

const RX = { reply: statusReply(8, "no free workers available") };
const OK = { reply: okReply("10.0.0.7") };

function otlp(receiver: OtlpReceiver, more: Record<string, string> = {}): ProgramOptions {
  return { env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, ...more } };
}

function find(metrics: readonly ReceivedMetric[] | undefined, name: string): ReceivedMetric {
  const found = metrics?.find((metric) => metric.name === name);
  assert(found, `no ${name} in ${metrics?.map((metric) => metric.name)}`);
  return found;
}

Deno.test("B36: the program exports the parking instruments with nothing but an endpoint set", async () => {
  await using receiver = otlpReceiver();
  await using program = await Program.start({
    ...otlp(receiver, { OTEL_METRIC_EXPORT_INTERVAL: "300" }),
    flags: { "metrics-listen-addr": "" },
  });
  program.plane.script("demo/a", RX, RX, OK);
  await program.ask("a");
  const metrics = await until(
    "an export after the request",
    () =>
      receiver.exports.find((list) =>
        list.some((metric) =>
          metric.name === "atenet.router.parking.wait.duration" && metric.points.length > 0
        )
      ),
  );
  const wait = find(metrics, "atenet.router.parking.wait.duration");
  assertEquals([wait.unit, wait.points[0]?.attributes], ["s", { outcome: "served" }]);
  assertEquals(wait.points[0]?.bounds.length, 16);
  assertEquals(find(metrics, "atenet.router.parking.active").unit, "{request}");
  find(metrics, "atenet.router.parking.rejected");
  find(metrics, "atenet.router.process.memory");
  assertEquals(receiver.resource["service.name"], "atenet-router");
  const { telemetry } = await program.status();
  assertEquals([telemetry.on, telemetry.prometheus, telemetry.traces], [true, null, true]);
  assertEquals(telemetry.otlp, `${receiver.url}/v1/metrics`);
  assertEquals((await program.said("telemetry")).otlp, telemetry.otlp);
});

Deno.test("B36: telemetry that is off is said by the log, the document and the page", async () => {
  await using program = await Program.start({ flags: { "metrics-listen-addr": "" } });
  assertEquals((await program.said("telemetry off")).level, "warn");
  assertEquals((await program.status()).telemetry.on, false);
  assert((await program.read("/statusz")).includes("OFF"));
});

Deno.test("another OTLP protocol is refused by name before anything listens", async () => {
  const { code, stdout } = await routerCommand(serveWords("127.0.0.1:1"), {
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
  }).output();
  const text = new TextDecoder().decode(stdout);
  assertEquals(code, 1);
  assert(text.includes("OTEL_EXPORTER_OTLP_PROTOCOL: grpc"), text);
});

Deno.test("B37: what ends during the shutdown is in the last export, with active 0", async () => {
  await using receiver = otlpReceiver();
  await using program = await Program.start(
    otlp(receiver, { OTEL_METRIC_EXPORT_INTERVAL: "60000", OTEL_TRACES_EXPORTER: "none" }),
  );
  for (const id of ["a", "b", "c"]) program.plane.script(`demo/${id}`, RX);
  const answers = ["a", "b", "c"].map((id) => program.ask(id));
  await program.statusWhen("three parked", ({ parking }) => parking.active === 3);
  program.signal("SIGTERM");
  await Promise.all(answers);
  assertEquals(await program.exit, 0);
  const last = receiver.exports.at(-1);
  const wait = find(last, "atenet.router.parking.wait.duration");
  assertEquals(wait.points.map((point) => [point.attributes.outcome, point.count]), [
    ["budget_exhausted", 3],
  ]);
  assertEquals(find(last, "atenet.router.parking.active").points[0]?.value, 0);
  const ends = find(last, "atenet.router.drain.requests").points
    .map((point) => [point.attributes.end, point.value]);
  assertEquals(Object.fromEntries(ends).budget_exhausted, 3);
  const line = await program.said("shutdown complete");
  assertEquals([line.open_at_signal, line.budget_exhausted, line.remaining], [3, 3, 0]);
});

Deno.test("a collector that is away does not hold the exit for more than 2 s", async () => {
  const gone = otlpReceiver();
  await gone[Symbol.asyncDispose]();
  await using program = await Program.start(otlp(gone));
  program.plane.script("demo/a", OK);
  await program.ask("a");
  const began = performance.now();
  program.signal("SIGTERM");
  assertEquals(await program.exit, 0);
  assert(performance.now() - began < 8_000);
  const step = program.log().find((line) => line.step === "telemetry");
  assert(Number(step?.elapsed_ms) <= 2_500, JSON.stringify(step));
});

Deno.test("B73: a request cut at the drain deadline is a reset of its own, never served", async () => {
  await using program = await Program.start({
    flags: { "parked-request-budget": "1s", "drain-timeout": "1s" },
  });
  program.plane.script("demo/a", RX, { reply: { kind: "hang" } });
  const answer = program.ask("a");
  await until("the second attempt", () => program.plane.of("demo/a").length >= 2);
  program.signal("SIGTERM");
  assertEquals(await program.exit, 3);
  assertEquals((await answer).reply, undefined);
  const line = await program.said("request reset by shutdown");
  assertEquals([line.outcome, line.park, line.delivered], ["reset", "error", false]);
  const end = await program.said("shutdown complete");
  assertEquals([end.reset, end.routed, end.exit], [1, 0, 3]);
});

Deno.test("SIGUSR1 switches debug logging on and off", async () => {
  await using program = await Program.start();
  program.plane.script("demo/a", OK);
  await program.ask("a");
  program.signal("SIGUSR1");
  await program.said("debug logging on");
  await program.ask("a");
  const line = await program.said("request routed");
  assertEquals([line.level, line.outcome], ["debug", "ok"]);
  assertEquals((await program.status()).telemetry.log_level, "debug");
  program.signal("SIGUSR1");
  await program.said("debug logging off");
  assertEquals(program.log().filter((each) => each.msg === "request routed").length, 1);
});

Deno.test("B33: over a mixed load every slot, wait and rejection is counted once", async () => {
  await using program = await Program.start({ flags: { "parked-request-max": "20" } });
  const kinds = ["served", "exhausted", "error", "warm", "left"] as const;
  const scripts = {
    served: [RX, RX, OK],
    exhausted: [RX],
    error: [RX, { reply: statusReply(5) }],
    warm: [OK],
    left: [RX],
  };
  let lowest = 0;
  let shed = 0;
  const work: Promise<void>[] = [];
  const endMs = performance.now() + 6_000;
  for (let count = 0; performance.now() < endMs; count++) {
    const kind = kinds[count % kinds.length] ?? "warm";
    program.plane.script(`demo/${kind}-${count}`, ...scripts[kind]);
    if (kind === "left") work.push(leaveSoon(program, `${kind}-${count}`));
    else {
      work.push(
        program.ask(`${kind}-${count}`).then(({ reply }) => {
          const response = reply?.response;
          if (response?.case !== "immediateResponse") return;
          if (response.value.details === "shed") shed++;
        }),
      );
    }
    if (count % 20 === 0) {
      const active = (await program.page()).get("atenet_router_parking_active") ?? 0;
      lowest = Math.min(lowest, active);
    }
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
  await Promise.all(work);
  const status = await program.statusWhen("quiet", ({ engine }) => engine.callers === 0);
  const page = await program.page();
  const waits = seriesOf(page, "atenet_router_parking_wait_duration_seconds_count")
    .reduce((sum, [, value]) => sum + value, 0);
  const rejected = page.get("atenet_router_parking_rejected_total") ?? 0;
  assertEquals(waits, status.counters.parked);
  assertEquals(page.get("atenet_router_parking_active"), 0);
  assertEquals(lowest, 0);
  assertGreaterOrEqual(rejected, shed);
  assertEquals(rejected, status.counters.shed);
  assert(shed > 0 && waits > 50, `shed ${shed}, waits ${waits}`);
  const requests = seriesOf(page, "atenet_router_route_duration_seconds_count")
    .reduce((sum, [, value]) => sum + value, 0);
  assertEquals(requests, Object.values(status.counters.requests).reduce((sum, n) => sum + n, 0));
});

/** A client that gives up while it is parked, or is shed before. */
async function leaveSoon(program: Program, actorId: string): Promise<void> {
  const { requestHeadersBytes } = await import("../support/ext_proc_messages.ts");
  const stream = program.peer.open();
  stream.send(requestHeadersBytes([
    [":authority", `${actorId}.demo.actors.resources.substrate.ate.dev`],
    [":path", "/"],
  ]));
  const gone = new Promise((resolve) => setTimeout(resolve, 200));
  await Promise.race([gone, stream.next()]);
  stream.reset();
  await Promise.all([stream.end, gone]);
}
