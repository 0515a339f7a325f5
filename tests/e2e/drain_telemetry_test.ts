// What ended during the shutdown is in the last export: the flush comes after the last verdict.
import { assertEquals, assertGreater, assertLess } from "@std/assert";
import { C0, RX } from "../support/stack.ts";
import { startPeerStack, statusOf } from "../support/peer_stack.ts";
import { type OtlpReceiver, otlpReceiver, type Point } from "../telemetry/_otlp.ts";

/** Export interval of a minute: the only export is that of the end. */
function otelEnv(receiver: { readonly url: string }): Record<string, string> {
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_METRIC_EXPORT_INTERVAL: "60000",
  };
}

function lastPoints(receiver: OtlpReceiver, name: string): readonly Point[] {
  const metrics = receiver.exports.at(-1) ?? [];
  return metrics.find((metric) => metric.name === name)?.points ?? [];
}

Deno.test("B37: the final export holds the requests that ended during the drain", async () => {
  await using receiver = otlpReceiver();
  const flags = { ...C0, "parked-request-budget": "1s", "drain-delay": "0s" };
  await using stack = await startPeerStack({ flags, env: otelEnv(receiver) });
  const ids = ["a1", "a2", "a3"];
  for (const id of ids) stack.script(id, RX);
  const answers = ids.map((id) => stack.ask(id));
  await stack.parked(3);
  stack.router.signal("SIGTERM");
  assertEquals((await Promise.all(answers)).map(statusOf), [503, 503, 503]);
  assertEquals(await stack.router.exit, 0);
  assertGreater(receiver.exports.length, 0);
  const [waits] = lastPoints(receiver, "atenet.router.parking.wait.duration")
    .filter(({ attributes }) => attributes["outcome"] === "budget_exhausted");
  assertEquals(waits?.count, 3);
  const [active] = lastPoints(receiver, "atenet.router.parking.active");
  assertEquals(active?.value, 0);
  const routes = lastPoints(receiver, "atenet.router.route.duration");
  assertEquals(routes.map(({ attributes, count }) => [attributes["outcome"], count]), [
    ["no_capacity", 3],
  ]);
  const drained = lastPoints(receiver, "atenet.router.drain.requests");
  assertEquals(
    drained.filter(({ value }) => value > 0).map(({ attributes, value }) => [
      attributes["end"],
      value,
    ]),
    [["budget_exhausted", 3]],
  );
});

Deno.test("a collector that does not answer holds the exit up for 2 s, not longer", async () => {
  const stuck = Promise.withResolvers<void>();
  const collector = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async () => {
    await stuck.promise;
    return new Response();
  });
  const url = `http://127.0.0.1:${collector.addr.port}`;
  const flags = { ...C0, "drain-delay": "0s" };
  await using stack = await startPeerStack({ flags, env: otelEnv({ url }) });
  const startMs = performance.now();
  stack.router.signal("SIGTERM");
  assertEquals(await stack.router.exit, 0);
  const tookMs = performance.now() - startMs;
  stuck.resolve();
  await collector.shutdown();
  // 0.25 s of quiet, 1 s for the connection, 2 s for telemetry; the rest is for a busy machine.
  assertLess(tookMs, 8_000);
  const step = stack.router.log().find((line) => line["step"] === "telemetry");
  assertEquals(step?.["flushed"], "timeout");
});
