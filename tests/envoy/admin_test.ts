// The admin client: against a scripted fetch for every odd answer, against the real Envoy for the rest.
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { EnvoyAdmin, type Fetch } from "../../src/envoy/admin.ts";
import type { Bootstrap } from "../../src/envoy/types.ts";
import { startEnvoy } from "../support/envoy.ts";
import { ScriptedExtProc } from "../support/ext_proc_script.ts";
import { startRequest } from "../support/http.ts";
import { until } from "../support/until.ts";

/** A client whose every call is answered by `answer`; `calls` hears method and URL. */
function adminWith(
  answer: (url: string, init: RequestInit) => Response | Promise<Response>,
  calls: string[] = [],
): EnvoyAdmin {
  const fetch: Fetch = async (url, init) => {
    calls.push(`${init.method} ${url}`);
    return await answer(url, init);
  };
  return new EnvoyAdmin("127.0.0.1:9901", { fetch, timeoutMs: 50 });
}

Deno.test("every call uses the method and path Envoy wants", async () => {
  const calls: string[] = [];
  const admin = adminWith((url) => {
    if (url.includes("/stats")) {
      const stats = ["cx", "rq"].map((kind) => ({
        name: `http.ingress.downstream_${kind}_active`,
        value: 4,
      }));
      return Response.json({ stats: [{ histograms: {} }, ...stats] });
    }
    if (url.includes("/server_info")) return Response.json({ state: "DRAINING" });
    return new Response("OK\n");
  }, calls);
  await admin.healthcheckFail();
  await admin.healthcheckOk();
  assertEquals(await admin.ready(), true);
  assertEquals(await admin.downstreamConnections(), 4);
  assertEquals(await admin.downstreamRequests(), 4);
  assertEquals((await admin.serverInfo()).state, "DRAINING");
  const stats = "http://127.0.0.1:9901/stats?format=json&filter=";
  const every = (name: string) => `GET ${stats}${encodeURIComponent(`^http\\..+\\.${name}$`)}`;
  assertEquals(calls, [
    "POST http://127.0.0.1:9901/healthcheck/fail",
    "POST http://127.0.0.1:9901/healthcheck/ok",
    "GET http://127.0.0.1:9901/ready",
    every("downstream_cx_active"),
    every("downstream_rq_active"),
    "GET http://127.0.0.1:9901/server_info",
  ]);
});

Deno.test("a call that hangs is given up in time and says so", async () => {
  const admin = adminWith((_, init) =>
    new Promise((_, reject) => {
      init.signal?.addEventListener("abort", () => reject(new Error("aborted")));
    })
  );
  const error = await assertRejects(() => admin.healthcheckFail(), Error);
  assertEquals(
    error.message,
    "Cannot POST http://127.0.0.1:9901/healthcheck/fail: no answer in 50 ms",
  );
});

Deno.test("a body that never ends is given up too", async () => {
  const admin = adminWith((_, init) => {
    const body = new ReadableStream({
      start: (controller) =>
        init.signal?.addEventListener("abort", () => controller.error(new Error("aborted"))),
    });
    return new Response(body);
  });
  await assertRejects(() => admin.serverInfo(), Error, "no answer in 50 ms");
});

const REFUSED: readonly [name: string, answer: () => Response, call: keyof EnvoyAdmin][] = [
  ["a 405", () => new Response("", { status: 405 }), "healthcheckOk"],
  ["a 503", () => new Response("", { status: 503 }), "configDump"],
  ["no JSON", () => new Response("<html>"), "serverInfo"],
  ["a state that Envoy does not have", () => Response.json({ state: "HAPPY" }), "serverInfo"],
];

for (const [name, answer, call] of REFUSED) {
  Deno.test(`${String(call)}() rejects on ${name}`, async () => {
    const admin = adminWith(answer);
    await assertRejects(() => (admin[call] as () => Promise<unknown>).call(admin), Error);
  });
}

Deno.test("gauges are summed over all listeners but the admin interface's own", async () => {
  const rows: readonly [what: string, answer: () => Response, sum: number | undefined][] = [
    ["ours", () => gauges({ ingress: 2, admin: 9 }), 2],
    ["another prefix", () => gauges({ admin: 9, ingress_http: 3 }), 3],
    ["several, with dots", () => gauges({ "a.b": 1, stats: 0, admin: 1, ingress: 4 }), 5],
    ["idle", () => gauges({ ingress_http: 0 }), 0],
    ["only the admin interface", () => gauges({ admin: 1 }), undefined],
    ["none", () => gauges({}), undefined],
    ["no list", () => Response.json({}), undefined],
    ["null", () => Response.json(null), undefined],
    ["somebody else's page", () => new Response("<html>"), undefined],
    ["a path that is not allowed", () => new Response("", { status: 403 }), undefined],
  ];
  for (const [what, answer, sum] of rows) {
    const admin = adminWith(answer);
    assertEquals(await admin.downstreamRequests(), sum, what);
    assertEquals(await admin.downstreamConnections(), sum, what);
  }
});

/** Envoy's answer with one gauge per `stat_prefix`. */
function gauges(values: Record<string, number>): Response {
  const stats = Object.entries(values).flatMap(([prefix, value]) =>
    ["downstream_cx_active", "downstream_rq_active"]
      .map((name) => ({ name: `http.${prefix}.${name}`, value }))
  );
  return Response.json({ stats: [{ histograms: {} }, ...stats] });
}

Deno.test("an Envoy that refuses to fail its health check is told from one that is away", async () => {
  assertEquals(await adminWith(() => new Response("", { status: 403 })).healthcheckFail(), false);
  assertEquals(await adminWith(() => new Response("OK\n")).healthcheckFail(), true);
});

Deno.test("a stat that is not there is undefined, a draining Envoy is not ready", async () => {
  const admin = adminWith((url) =>
    url.includes("/ready") ? new Response("DRAINING\n", { status: 503 }) : Response.json({})
  );
  assertEquals(await admin.stat("a.b"), undefined);
  assertEquals(await admin.ready(), false);
});

Deno.test("an address where nothing listens is said with its URL", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  const admin = new EnvoyAdmin(`127.0.0.1:${port}`);
  const error = await assertRejects(() => admin.ready(), Error);
  assertStringIncludes(error.message, `Cannot GET http://127.0.0.1:${port}/ready: `);
});

Deno.test("the real Envoy is failed, drained, taken back and asked", async () => {
  await using envoy = await startEnvoy();
  const { admin } = envoy;
  const info = await admin.serverInfo();
  assertEquals(info.state, "LIVE");
  assertStringIncludes(info.version, "/1.");
  await admin.healthcheckFail();
  await admin.healthcheckFail();
  assertEquals((await admin.serverInfo()).state, "DRAINING");
  assertEquals(await admin.ready(), false);
  await admin.healthcheckOk();
  await until("a live Envoy", () => admin.ready());
  assertEquals(await admin.downstreamRequests(), 0);
  using connection = await Deno.connect({ hostname: "127.0.0.1", port: envoy.httpPort });
  await until("the connection to be counted", () => admin.downstreamConnections());
  assertEquals(await admin.downstreamConnections(), 1);
  assert(connection);
  const dump = JSON.stringify(await admin.configDump());
  assertStringIncludes(dump, "atenet_extproc");
});

Deno.test("the real Envoy with a prefix of somebody else's is counted, one that hides it is not gone", async () => {
  const renamed = (bootstrap: Bootstrap): Bootstrap =>
    JSON.parse(JSON.stringify(bootstrap).replaceAll('"ingress"', '"ingress_http"'));
  await using extproc = await ScriptedExtProc.start(() => {});
  await using envoy = await startEnvoy({ portExtproc: extproc.port, edit: renamed });
  assertEquals(await envoy.admin.downstreamRequests(), 0);
  const waiting = await startRequest(envoy.httpPort, { host: "a" });
  await until("the question", () => extproc.asked.length);
  assertEquals(await envoy.admin.downstreamRequests(), 1);
  assertEquals(await envoy.admin.downstreamConnections(), 1);
  assertEquals(await envoy.stat("http.ingress.downstream_rq_active"), 0, "it is another prefix");
  waiting.abort();
  const hiding = (bootstrap: Bootstrap): Bootstrap => {
    const stats_config = { stats_matcher: { reject_all: true } };
    return { ...bootstrap, ...{ stats_config } };
  };
  await using silent = await startEnvoy({ edit: hiding });
  assertEquals(await silent.admin.downstreamRequests(), undefined);
  assertEquals(await silent.admin.downstreamConnections(), undefined);
});

Deno.test("an Envoy that was stopped cannot be reached", async () => {
  const envoy = await startEnvoy();
  await envoy.stop();
  await assertRejects(() => envoy.admin.downstreamConnections(), Error, "Cannot GET");
});
