// The flush at the end says whether what it sent arrived, and nothing is sent after it.
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import type { Observer } from "../../src/engine/mod.ts";
import { LastExport } from "../../src/telemetry/last_export.ts";
import { until } from "../support/until.ts";
import { otlpReceiver } from "./_otlp.ts";
import { after, ok, TestRouter } from "./_router.ts";
import { endpoint, someTraffic, withTelemetry } from "./_telemetry.ts";

Deno.test("a flush fails with what its last export failed with, not with an older one", async () => {
  const last = new LastExport("last");
  const told: number[] = [];
  const end = last.watch((result: { code: number; error?: unknown }) => told.push(result.code));
  const ends = (...results: { code: number; error?: unknown }[]) =>
    last.during(() => {
      for (const result of results) end(result);
      return Promise.resolve();
    });
  end({ code: 1, error: new Error("older") });
  await ends();
  await ends({ code: 1, error: new Error("first try") }, { code: 0 });
  await assertRejects(
    () => ends({ code: 0 }, { code: 1, error: new Error("away") }),
    Error,
    "away",
  );
  await assertRejects(() => ends({ code: 1 }), Error, "Cannot export");
  await ends({ code: 0 });
  assertEquals(told, [1, 1, 0, 0, 1, 1, 0]);
});

Deno.test("where each export carries its own, a flush fails with the first that failed", async () => {
  const every = new LastExport("every");
  const end = every.watch((_: { code: number; error?: unknown }) => {});
  const ends = (...results: { code: number; error?: unknown }[]) =>
    every.during(() => {
      for (const result of results) end(result);
      return Promise.resolve();
    });
  end({ code: 1, error: new Error("older") });
  await ends({ code: 0 });
  await assertRejects(
    () => ends({ code: 1, error: new Error("lost") }, { code: 1, error: new Error("too") }),
    Error,
    "lost",
  );
  await assertRejects(
    () => ends({ code: 1, error: new Error("lost") }, { code: 0 }),
    Error,
    "lost",
  );
  await ends({ code: 0 });
});

const SIGNALS: readonly [Record<string, string>, readonly string[]][] = [
  [{}, ["metrics", "traces"]],
  [{ OTEL_TRACES_EXPORTER: "none" }, ["metrics"]],
  [{ OTEL_METRICS_EXPORTER: "none" }, ["traces"]],
];

Deno.test("B37: a collector that refuses fails the flush, whichever signal it is", async () => {
  for (const status of [400, 401, 404]) {
    for (const [env, signals] of SIGNALS) {
      await using receiver = otlpReceiver(() => new Response("token=S1", { status }));
      await withTelemetry(async ({ telemetry, observer }) => {
        someTraffic(observer).pass(10_000);
        const error = await assertRejects(() => telemetry.flush(), Error);
        const named = [...error.message.matchAll(/(metrics|traces): OTLPExporterError/g)];
        assertEquals(named.map(([, signal]) => signal ?? ""), [...signals], error.message);
        assertMatch(error.message, /^Cannot export as last /);
        assert(!error.message.includes("S1"), error.message);
      }, endpoint(receiver, env));
    }
  }
});

Deno.test("a flush that arrives after one that was refused succeeds", async () => {
  let status = 401;
  await using receiver = otlpReceiver(() => new Response(null, { status }));
  await withTelemetry(async ({ telemetry, observer }) => {
    const router = someTraffic(observer);
    await assertRejects(() => telemetry.flush(), Error);
    status = 200;
    router.pass(10_000);
    await telemetry.flush();
  }, endpoint(receiver));
});

Deno.test("B37: the flush is the last export: closing sends nothing more", async () => {
  await using receiver = otlpReceiver();
  await withTelemetry(async ({ telemetry, observer }) => {
    someTraffic(observer).pass(10_000);
    await telemetry.flush();
    await telemetry.close();
    assertEquals(receiver.headers.length, 2, "metrics and spans, once each");
  }, endpoint(receiver));
});

Deno.test("a router that never came up sends nothing when it is closed", async () => {
  await using receiver = otlpReceiver();
  await withTelemetry(async ({ telemetry, observer }) => {
    someTraffic(observer).pass(10_000);
    await telemetry.close();
    assertEquals(receiver.headers.length, 0, "neither metrics nor spans");
  }, endpoint(receiver));
});

/** The first export is refused, later ones are taken; each when it is told to. */
function heldCollector() {
  const held = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const arrived = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let exports = 0;
  const listen = { hostname: "127.0.0.1", port: 0, onListen() {} };
  const server = Deno.serve(listen, async (request) => {
    await request.arrayBuffer();
    const nth = exports++;
    arrived[nth]?.resolve();
    await held[nth]?.promise;
    return new Response(null, { status: nth === 0 ? 401 : 200 });
  });
  const url = `http://127.0.0.1:${server.addr.port}`;
  return {
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_METRICS_EXPORTER: "none" },
    arrived: (nth: number) => arrived[nth]?.promise,
    answer: (nth: number) => held[nth]?.resolve(),
    exports: () => exports,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** A batch is full, and goes, at 512: 170 requests of three spans, two of one. */
function fullBatch(observer: Observer): TestRouter {
  const router = new TestRouter({ observer, plane: { a: [after(1, ok(false))] } });
  for (let count = 0; count < 170; count++) {
    router.ask("a");
    router.pass(10);
  }
  for (const host of ["x", "y"]) router.askInvalid(host);
  return router;
}

Deno.test("the flush waits for spans that are on their way already", async () => {
  await using collector = heldCollector();
  await withTelemetry(async ({ telemetry, observer }) => {
    fullBatch(observer);
    await collector.arrived(0);
    const flushed = telemetry.flush();
    collector.answer(0);
    await assertRejects(() => flushed, Error, "traces: OTLPExporterError");
  }, { env: collector.env });
});

Deno.test("spans that are lost during the flush fail it, though its own arrive", async () => {
  await using collector = heldCollector();
  await withTelemetry(async ({ telemetry, observer, lines }) => {
    fullBatch(observer).askInvalid("z");
    await collector.arrived(0);
    const flushed = telemetry.flush();
    await collector.arrived(1);
    collector.answer(0);
    await until("the loss", () => lines.objects().some(({ msg }) => msg === "telemetry"));
    collector.answer(1);
    await assertRejects(() => flushed, Error, "traces: OTLPExporterError");
  }, { env: collector.env });
});

Deno.test("spans that end during the flush and after it are not exported", async () => {
  await using collector = heldCollector();
  await withTelemetry(async ({ telemetry, observer }) => {
    fullBatch(observer);
    await collector.arrived(0);
    const flushed = telemetry.flush();
    const during = fullBatch(observer);
    collector.answer(0);
    await assertRejects(() => flushed, Error);
    collector.answer(1);
    during.askInvalid("after");
    fullBatch(observer);
    await telemetry.close();
    assertEquals(collector.exports(), 1);
  }, { env: collector.env });
});
