// The OTEL_* variables at work: what is taken over, and what the exporters complain about.
import { assert, assertEquals } from "@std/assert";
import { until } from "../support/until.ts";
import { otlpReceiver } from "./_otlp.ts";
import { endpoint, someTraffic, withTelemetry } from "./_telemetry.ts";

const NO_METRICS = { OTEL_METRICS_EXPORTER: "none" };
const NO_TRACES = { OTEL_TRACES_EXPORTER: "none" };

/** The exporters read some variables from the process. */
async function withProcessEnv(
  env: Readonly<Record<string, string>>,
  work: () => Promise<void>,
): Promise<void> {
  for (const [name, value] of Object.entries(env)) Deno.env.set(name, value);
  try {
    await work();
  } finally {
    for (const name of Object.keys(env)) Deno.env.delete(name);
  }
}

Deno.test("what the exporters do not understand is said in the log, not left out silently", async () => {
  const unreadable = "/nowhere/at/all.pem";
  const table: [string, string, string][] = [
    ["OTEL_EXPORTER_OTLP_CERTIFICATE", unreadable, "root certificate file"],
    ["OTEL_EXPORTER_OTLP_CLIENT_KEY", unreadable, "private key file"],
    ["OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE", unreadable, "certificate chain file"],
    ["OTEL_EXPORTER_OTLP_TIMEOUT", "-1", "OTEL_EXPORTER_OTLP_TIMEOUT"],
    ["OTEL_EXPORTER_OTLP_METRICS_TIMEOUT", "soon", "OTEL_EXPORTER_OTLP_METRICS_TIMEOUT"],
    ["OTEL_EXPORTER_OTLP_TRACES_COMPRESSION", "zstd", "OTEL_EXPORTER_OTLP_TRACES_COMPRESSION"],
    ["OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", "both", "TEMPORALITY_PREFERENCE"],
  ];
  await using receiver = otlpReceiver();
  for (const [name, value, said] of table) {
    await withProcessEnv({ [name]: value }, () =>
      withTelemetry(({ lines }) => {
        const found = lines.objects().filter((line) => line.msg === "telemetry");
        assert(found.some((line) => String(line.error).includes(said)), `${name}: ${lines.lines}`);
        assertEquals(new Set(found.map((line) => line.level)), new Set(["warn"]), name);
        return Promise.resolve();
      }, endpoint(receiver)));
  }
});

Deno.test("nothing is said of variables the exporters understand", async () => {
  await using receiver = otlpReceiver();
  await withTelemetry(({ lines }) => {
    assertEquals(lines.lines, []);
    return Promise.resolve();
  }, endpoint(receiver));
});

Deno.test("spans leave in batches of OTEL_BSP_MAX_EXPORT_BATCH_SIZE", async () => {
  await using receiver = otlpReceiver();
  await withTelemetry(async ({ telemetry, observer }) => {
    someTraffic(observer).pass(10_000);
    await telemetry.flush();
    assert(receiver.spans.length > 4, `${receiver.spans.length} spans`);
    assertEquals(receiver.bodies.length, receiver.spans.length);
  }, endpoint(receiver, { ...NO_METRICS, OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "1" }));
});

Deno.test("spans beyond OTEL_BSP_MAX_QUEUE_SIZE are dropped", async () => {
  await using receiver = otlpReceiver();
  const env = { ...NO_METRICS, OTEL_BSP_MAX_QUEUE_SIZE: "2" };
  await withTelemetry(async ({ telemetry, observer }) => {
    const router = someTraffic(observer);
    router.pass(10_000);
    await telemetry.flush();
    // A full batch goes at once, two wait behind it.
    assertEquals(receiver.spans.length, 4);
  }, endpoint(receiver, env));
});

Deno.test("spans leave after OTEL_BSP_SCHEDULE_DELAY, without a flush", async () => {
  await using receiver = otlpReceiver();
  await withTelemetry(async ({ observer }) => {
    const arrived = receiver.next();
    someTraffic(observer).pass(10_000);
    await arrived;
    assert(receiver.spans.length > 0);
  }, endpoint(receiver, { ...NO_METRICS, OTEL_BSP_SCHEDULE_DELAY: "1" }));
});

Deno.test("an export of metrics is given up after OTEL_METRIC_EXPORT_TIMEOUT", async () => {
  const answer = Promise.withResolvers<void>();
  const listen = { hostname: "127.0.0.1", port: 0, onListen() {} };
  const collector = Deno.serve(listen, async (request) => {
    await request.arrayBuffer();
    await answer.promise;
    return new Response();
  });
  const url = `http://127.0.0.1:${collector.addr.port}`;
  await withTelemetry(async ({ telemetry, lines }) => {
    const flushed = telemetry.flush();
    await until("the timeout", () => lines.lines.find((line) => line.includes("after 20ms")));
    answer.resolve();
    await flushed;
  }, {
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: url, ...NO_TRACES, OTEL_METRIC_EXPORT_TIMEOUT: "20" },
  });
  await collector.shutdown();
});

Deno.test("page and push name the service as the environment asks", async () => {
  await using receiver = otlpReceiver();
  const env = {
    OTEL_RESOURCE_ATTRIBUTES: "team=a%2Cb,service.version=9",
    OTEL_SERVICE_NAME: "mine",
  };
  await withTelemetry(async ({ telemetry }) => {
    telemetry.listen();
    await telemetry.flush();
    const { team, ...rest } = receiver.resource;
    assertEquals(
      [team, rest["service.name"], rest["service.version"], rest["service.instance.id"]],
      [
        "a,b",
        "mine",
        "9",
        "router-0",
      ],
    );
    const page = await (await fetch(`http://${telemetry.view().prometheus}/metrics`)).text();
    assert(page.includes('service_name="mine"') && page.includes('team="a,b"'), page);
  }, { ...endpoint(receiver, env), metricsListenAddr: "127.0.0.1:0" });
});

Deno.test("a disabled SDK is off whatever else is set; the page stays", async () => {
  const env = {
    OTEL_SDK_DISABLED: "true",
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1",
    OTEL_METRIC_EXPORT_INTERVAL: "never",
    OTEL_TRACES_SAMPLER: "jaeger_remote",
    OTEL_RESOURCE_ATTRIBUTES: "broken",
  };
  await withTelemetry(({ telemetry }) => {
    telemetry.listen();
    const { on, otlp, traces, prometheus } = telemetry.view();
    assertEquals([on, otlp, traces], [true, null, false]);
    assert(prometheus);
    return Promise.resolve();
  }, { env, metricsListenAddr: "127.0.0.1:0" });
});
