// The page as a real Prometheus reads it.
import { assertEquals } from "@std/assert";
import { monotonicClock } from "../../src/process/platform.ts";
import { fanOut } from "../../src/telemetry/observer.ts";
import { Telemetry } from "../../src/telemetry/telemetry.ts";
import { missing, prometheus } from "./_prometheus.ts";
import { collectingLog } from "./_records.ts";
import { after, ok, RX, TestRouter } from "./_router.ts";

Deno.test({
  name: "a real Prometheus scrapes the page and answers queries",
  ignore: missing("prometheus"),
  fn: scraped,
});

async function scraped(): Promise<void> {
  const telemetry = new Telemetry({
    env: {},
    version: "0.1.0",
    instance: "router-0",
    parking: true,
    metricsListenAddr: "127.0.0.1:0",
    clock: monotonicClock(),
    log: collectingLog().log,
  });
  telemetry.listen();
  try {
    const router = new TestRouter({
      observer: fanOut(telemetry.observers),
      plane: { a: [after(10, RX), after(10, ok())], b: [after(10, RX)] },
      policy: { max: 2 },
    });
    for (const name of ["a", "b", "b"]) router.ask(name);
    router.pass(50);
    router.ask("b");
    await using server = await prometheus(telemetry.view().prometheus ?? "");
    assertEquals(await server.until("atenet_router_parking_active", (value) => value === 2), 2);
    assertEquals((await server.query("atenet_router_parking_rejected_total"))[0]?.value, 2);
    router.pass(10_000);
    await server.until("atenet_router_parking_active", (value) => value === 0);
    const waits = await server.query(
      "sum by (outcome) (atenet_router_parking_wait_duration_seconds_count)",
    );
    assertEquals(Object.fromEntries(waits.map(({ labels, value }) => [labels.outcome, value])), {
      served: 1,
      budget_exhausted: 1,
    });
    const p50 = await server.query(
      "histogram_quantile(0.5, sum by (le) (atenet_router_parking_wait_duration_seconds_bucket))",
    );
    assertEquals((p50[0]?.value ?? 0) > 0.1, true);
    const info = await server.query("target_info");
    assertEquals(info[0]?.labels.service_name, "atenet-router");
    assertEquals((await server.query("up"))[0]?.value, 1);
  } finally {
    await telemetry.close();
  }
}
