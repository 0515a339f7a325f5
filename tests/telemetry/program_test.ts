// Telemetry of the real program, up to its last export.
import { assert, assertEquals } from "@std/assert";
import { until } from "../support/until.ts";
import { okReply, statusReply } from "../support/fake_reply.ts";
import { findMetric, type OtlpReceiver, otlpReceiver } from "./_otlp.ts";
import { Program, type ProgramOptions, routerCommand, serveWords } from "./_program.ts";

const RX = { reply: statusReply(8, "no free workers available") };
const OK = { reply: okReply("10.0.0.7") };

function otlp(receiver: OtlpReceiver, more: Record<string, string> = {}): ProgramOptions {
  return { env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, ...more } };
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
  const wait = findMetric(metrics, "atenet.router.parking.wait.duration");
  assertEquals([wait.unit, wait.points[0]?.attributes], ["s", { outcome: "served" }]);
  assertEquals(wait.points[0]?.bounds.length, 16);
  assertEquals(findMetric(metrics, "atenet.router.parking.active").unit, "{request}");
  findMetric(metrics, "atenet.router.parking.rejected");
  findMetric(metrics, "atenet.router.process.memory");
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
  const wait = findMetric(last, "atenet.router.parking.wait.duration");
  assertEquals(wait.points.map((point) => [point.attributes.outcome, point.count]), [
    ["budget_exhausted", 3],
  ]);
  assertEquals(findMetric(last, "atenet.router.parking.active").points[0]?.value, 0);
  const ends = findMetric(last, "atenet.router.drain.requests").points
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
