import { assert, assertEquals, assertThrows } from "@std/assert";
import { type Env, otelSettings, shownEndpoint } from "../../src/telemetry/otel_env.ts";

Deno.test("without variables nothing is exported", () => {
  assertEquals(otelSettings({}), { metrics: undefined, traces: undefined, resource: {} });
});

const ON = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://c:4318" };

Deno.test("an endpoint alone turns both signals on, with the standard's defaults", () => {
  assertEquals(otelSettings(ON), {
    metrics: { url: "http://c:4318/v1/metrics", intervalMs: 60_000, timeoutMs: 30_000 },
    traces: {
      url: "http://c:4318/v1/traces",
      sampling: { parentBased: true, root: { kind: "always_on" } },
      batching: { delayMs: 5_000, timeoutMs: 30_000, queueMax: 2_048, batchMax: 512 },
    },
    resource: {},
  });
});

Deno.test("intervals, timeouts and sizes are taken over, within what the SDK can do", () => {
  const table: [Env, unknown][] = [
    [{ OTEL_METRIC_EXPORT_INTERVAL: "70000", OTEL_METRIC_EXPORT_TIMEOUT: "65000" }, [
      70_000,
      65_000,
    ]],
    [{ OTEL_METRIC_EXPORT_INTERVAL: "500" }, [500, 500]],
    [{ OTEL_METRIC_EXPORT_TIMEOUT: "90000" }, [60_000, 60_000]],
  ];
  for (const [env, expected] of table) {
    const { metrics } = otelSettings({ ...ON, ...env });
    assertEquals([metrics?.intervalMs, metrics?.timeoutMs] as unknown, expected);
  }
  const batching = (env: Env) => otelSettings({ ...ON, ...env }).traces?.batching;
  assertEquals(
    batching({
      OTEL_BSP_SCHEDULE_DELAY: "1",
      OTEL_BSP_EXPORT_TIMEOUT: "2",
      OTEL_BSP_MAX_QUEUE_SIZE: "4",
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "3",
    }),
    { delayMs: 1, timeoutMs: 2, queueMax: 4, batchMax: 3 },
  );
  assertEquals(batching({ OTEL_BSP_MAX_QUEUE_SIZE: "100" })?.batchMax, 100);
});

Deno.test("endpoints: shared with a path added, own as it is, none and disabled turn off", () => {
  const shared = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://c:4318" };
  const table: [Env, string | undefined, string | undefined][] = [
    [shared, "http://c:4318/v1/metrics", "http://c:4318/v1/traces"],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: "https://c/base/" },
      "https://c/base/v1/metrics",
      "https://c/base/v1/traces",
    ],
    [
      { ...shared, OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "http://m:1/x" },
      "http://m:1/x",
      "http://c:4318/v1/traces",
    ],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://t:1/x" }, undefined, "http://t:1/x"],
    [{ ...shared, OTEL_TRACES_EXPORTER: "none" }, "http://c:4318/v1/metrics", undefined],
    [{ ...shared, OTEL_METRICS_EXPORTER: "none" }, undefined, "http://c:4318/v1/traces"],
    [{ ...shared, OTEL_SDK_DISABLED: "TRUE" }, undefined, undefined],
    [{ ...shared, OTEL_SDK_DISABLED: "1" }, "http://c:4318/v1/metrics", "http://c:4318/v1/traces"],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "  " }, undefined, undefined],
    [
      { ...shared, OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf" },
      "http://c:4318/v1/metrics",
      "http://c:4318/v1/traces",
    ],
    [
      {
        ...shared,
        OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
        OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: "http/protobuf",
        OTEL_TRACES_EXPORTER: "none",
      },
      "http://c:4318/v1/metrics",
      undefined,
    ],
  ];
  for (const [env, metrics, traces] of table) {
    const found = otelSettings(env);
    assertEquals(
      [found.metrics?.url, found.traces?.url],
      [metrics, traces],
      JSON.stringify(env),
    );
  }
});

Deno.test("what we do not speak is refused by name", () => {
  const shared = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://c:4318" };
  const table: [Env, string][] = [
    [{ ...shared, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, "OTEL_EXPORTER_OTLP_PROTOCOL: grpc"],
    [
      { ...shared, OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/json" },
      "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: http/json",
    ],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "c:4318" }, "OTEL_EXPORTER_OTLP_ENDPOINT: c:4318"],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "collector" }, "an http or https URL"],
    [{ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "grpc://c" }, "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"],
    [{ OTEL_METRICS_EXPORTER: "console" }, "OTEL_METRICS_EXPORTER: console"],
    [{ ...shared, OTEL_METRIC_EXPORT_INTERVAL: "0" }, "OTEL_METRIC_EXPORT_INTERVAL: 0"],
    [{ ...shared, OTEL_METRIC_EXPORT_INTERVAL: "1m" }, "OTEL_METRIC_EXPORT_INTERVAL: 1m"],
    // A timer of more than 2^31-1 ms fires at once: it would export without end.
    [{ ...shared, OTEL_METRIC_EXPORT_INTERVAL: "2147483648" }, "whole number from 1 to 2147483647"],
    [{ ...shared, OTEL_METRIC_EXPORT_TIMEOUT: "-1" }, "OTEL_METRIC_EXPORT_TIMEOUT: -1"],
    [{ ...shared, OTEL_BSP_SCHEDULE_DELAY: "5s" }, "OTEL_BSP_SCHEDULE_DELAY: 5s"],
    [{ ...shared, OTEL_BSP_EXPORT_TIMEOUT: "1e999" }, "OTEL_BSP_EXPORT_TIMEOUT: 1e999"],
    [{ ...shared, OTEL_BSP_MAX_QUEUE_SIZE: "0.5" }, "OTEL_BSP_MAX_QUEUE_SIZE: 0.5"],
    [{ ...shared, OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "0" }, "OTEL_BSP_MAX_EXPORT_BATCH_SIZE: 0"],
    [{ ...shared, OTEL_TRACES_SAMPLER: "jaeger_remote" }, "OTEL_TRACES_SAMPLER: jaeger_remote"],
    [
      { ...shared, OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "2" },
      "OTEL_TRACES_SAMPLER_ARG: 2",
    ],
    [{ OTEL_RESOURCE_ATTRIBUTES: "a=1,b" }, "OTEL_RESOURCE_ATTRIBUTES: b (key=value"],
    [{ OTEL_RESOURCE_ATTRIBUTES: "a=1=2" }, "OTEL_RESOURCE_ATTRIBUTES: a=1=2"],
    [{ OTEL_RESOURCE_ATTRIBUTES: "=1" }, "OTEL_RESOURCE_ATTRIBUTES: =1"],
    [{ OTEL_RESOURCE_ATTRIBUTES: "a=100%" }, "OTEL_RESOURCE_ATTRIBUTES: a=100%"],
    [{ OTEL_RESOURCE_ATTRIBUTES: "%zz=1" }, "OTEL_RESOURCE_ATTRIBUTES: %zz=1"],
  ];
  for (const [env, message] of table) {
    assertThrows(() => otelSettings(env), Error, message, JSON.stringify(env));
  }
});

Deno.test("of a signal that is off, and of a disabled SDK, nothing is refused", () => {
  const metrics = { OTEL_METRIC_EXPORT_INTERVAL: "never", OTEL_METRIC_EXPORT_TIMEOUT: "never" };
  const traces = { OTEL_TRACES_SAMPLER: "jaeger_remote", OTEL_BSP_SCHEDULE_DELAY: "never" };
  const protocol = { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" };
  const off = { metrics: undefined, traces: undefined, resource: {} };
  assertEquals(otelSettings({ ...metrics, ...traces, ...protocol }), off);
  assertEquals(
    otelSettings({ ...ON, ...metrics, OTEL_METRICS_EXPORTER: "none" }).metrics,
    undefined,
  );
  assertEquals(otelSettings({ ...ON, ...traces, OTEL_TRACES_EXPORTER: "none" }).traces, undefined);
  const disabled = { OTEL_SDK_DISABLED: "true", OTEL_RESOURCE_ATTRIBUTES: "broken" };
  assertEquals(otelSettings({ ...ON, ...metrics, ...traces, ...protocol, ...disabled }), off);
});

Deno.test("resource attributes are decoded; the service name of its own variable wins", () => {
  const table: [Env, Record<string, string>][] = [
    [{ OTEL_RESOURCE_ATTRIBUTES: " a = 1 ,, b=x%2Cy%3Dz ,c=" }, { a: "1", b: "x,y=z", c: "" }],
    [{ OTEL_RESOURCE_ATTRIBUTES: "service.name=x,a=1,a=2" }, { "service.name": "x", a: "2" }],
    [{ OTEL_RESOURCE_ATTRIBUTES: "service.name=x", OTEL_SERVICE_NAME: "y" }, {
      "service.name": "y",
    }],
  ];
  for (const [env, expected] of table) {
    assertEquals(otelSettings(env).resource as unknown, expected, JSON.stringify(env));
  }
});

Deno.test("samplers: by parent unless asked otherwise", () => {
  const table: [Env, unknown][] = [
    [{ OTEL_TRACES_SAMPLER: "parentbased_always_off" }, {
      parentBased: true,
      root: { kind: "always_off" },
    }],
    [{ OTEL_TRACES_SAMPLER: "always_on" }, { parentBased: false, root: { kind: "always_on" } }],
    [{ OTEL_TRACES_SAMPLER: "parentbased_traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.25" }, {
      parentBased: true,
      root: { kind: "ratio", ratio: 0.25 },
    }],
    [{ OTEL_TRACES_SAMPLER: "traceidratio" }, {
      parentBased: false,
      root: { kind: "ratio", ratio: 1 },
    }],
  ];
  for (const [env, expected] of table) {
    assertEquals(otelSettings({ ...ON, ...env }).traces?.sampling as unknown, expected);
  }
});

Deno.test("B54: an endpoint is shown, and refused, without its secrets", () => {
  assertEquals(
    shownEndpoint("https://user:S1@c:4318/v1/metrics?token=S1#S1"),
    "https://c:4318/v1/metrics",
  );
  for (const value of ["ftp://user:S1@c/x?token=S1", "user:S1@c", "ftp://c/?x=S1"]) {
    const error = assertThrows(
      () => otelSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: value }),
      Error,
      "OTEL_EXPORTER_OTLP_ENDPOINT",
    );
    assert(!error.message.includes("S1"), error.message);
  }
});
