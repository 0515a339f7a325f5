// Metrics and traces as a router has them, towards a collector of the test's own.
import { assert } from "@std/assert";
import type { Observer } from "../../src/engine/mod.ts";
import { monotonicClock } from "../../src/process/platform.ts";
import { fanOut } from "../../src/telemetry/observer.ts";
import { Telemetry, type TelemetryOptions } from "../../src/telemetry/telemetry.ts";
import type { OtlpReceiver, ReceivedMetric } from "./_otlp.ts";
import { collectingLog, type Lines, TRACEPARENT } from "./_records.ts";
import { after, ok, RX, TestRouter } from "./_router.ts";

export interface Up {
  readonly telemetry: Telemetry;
  readonly observer: Observer;
  readonly lines: Lines;
}

export async function withTelemetry(
  work: (up: Up) => Promise<void>,
  more: Partial<TelemetryOptions> = {},
): Promise<void> {
  const lines = collectingLog("info");
  const telemetry = new Telemetry({
    env: {},
    version: "0.1.0",
    instance: "router-0",
    parking: true,
    metricsListenAddr: "",
    clock: monotonicClock(),
    log: lines.log,
    ...more,
  });
  try {
    await work({ telemetry, observer: fanOut(telemetry.observers), lines });
  } finally {
    await telemetry.close();
    lines.log.close();
  }
}

export function endpoint(receiver: OtlpReceiver, more: Record<string, string> = {}) {
  return { env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, ...more } };
}

export function find(metrics: readonly ReceivedMetric[] | undefined, name: string): ReceivedMetric {
  const found = metrics?.find((metric) => metric.name === name);
  assert(found, `no ${name} in ${metrics?.map((metric) => metric.name)}`);
  return found;
}

/** One request is served after parking; two wait for workers. */
export function someTraffic(observer: Observer): TestRouter {
  const router = new TestRouter({
    observer,
    plane: { a: [after(10, RX), after(10, ok())], b: [after(10, RX)] },
  });
  router.ask("a", { traceparent: TRACEPARENT });
  router.ask("b", undefined, "b1");
  router.ask("b", undefined, "b2");
  router.pass(500);
  return router;
}
