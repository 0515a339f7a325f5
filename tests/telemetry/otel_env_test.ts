import { assert, assertEquals, assertThrows } from "@std/assert";
import { type Env, otelSettings, shownEndpoint } from "../../src/telemetry/otel_env.ts";

Deno.test("without variables nothing is exported", () => {
  assertEquals(otelSettings({}), {
    metricsUrl: undefined,
    tracesUrl: undefined,
    exportIntervalMs: 60_000,
    sampler: { parentBased: true, root: { kind: "always_on" } },
  });
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
    const { metricsUrl, tracesUrl } = otelSettings(env);
    assertEquals([metricsUrl, tracesUrl], [metrics, traces], JSON.stringify(env));
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
    [{ OTEL_METRIC_EXPORT_INTERVAL: "0" }, "OTEL_METRIC_EXPORT_INTERVAL: 0"],
    [{ OTEL_METRIC_EXPORT_INTERVAL: "1m" }, "OTEL_METRIC_EXPORT_INTERVAL: 1m"],
    [{ OTEL_TRACES_SAMPLER: "jaeger_remote" }, "OTEL_TRACES_SAMPLER: jaeger_remote"],
    [
      { OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "2" },
      "OTEL_TRACES_SAMPLER_ARG: 2",
    ],
  ];
  for (const [env, message] of table) {
    assertThrows(() => otelSettings(env), Error, message, JSON.stringify(env));
  }
});

Deno.test("a protocol that is not used is not refused", () => {
  assertEquals(otelSettings({ OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }).metricsUrl, undefined);
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
  for (const [env, expected] of table) assertEquals(otelSettings(env).sampler as unknown, expected);
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
