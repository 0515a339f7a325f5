// Nothing is forwarded to a place the router did not choose: no verdict, half a verdict, a router
// that is away, a client that names a worker itself.
import { assertEquals, assertStringIncludes } from "@std/assert";
import type { Bootstrap, JsonObject } from "../../src/envoy/types.ts";
import { EchoWorker } from "../support/echo.ts";
import { startEnvoy } from "../support/envoy.ts";
import { continuedWith, OK_METADATA, routedTo } from "../support/ext_proc_messages.ts";
import { ScriptedExtProc } from "../support/ext_proc_script.ts";
import { type HttpRequest, httpRequest } from "../support/http.ts";

const HOST = "a1.demo.actors.resources.substrate.ate.dev";
const NO_VERDICT = "no worker was chosen for this request\n";

/** The configuration of one filter, changed. */
function editFilter(name: string, change: (config: JsonObject) => JsonObject) {
  return (bootstrap: Bootstrap): Bootstrap => {
    const copy = JSON.parse(JSON.stringify(bootstrap));
    const manager = copy.static_resources.listeners[0].filter_chains[0].filters[0].typed_config;
    for (const filter of manager.http_filters) {
      if (filter.name === name) filter.typed_config = change(filter.typed_config);
    }
    return copy;
  };
}

Deno.test("a stream that ends OK without a verdict is not forwarded, in both modes", async () => {
  await using worker = new EchoWorker();
  await using extproc = await ScriptedExtProc.start((asked) => asked.end());
  for (const routeMode of ["authority", "original-dst"] as const) {
    const ports = { portExtproc: extproc.port, workerPort: worker.port };
    await using envoy = await startEnvoy({ ...ports, routeMode });
    // A client that names the worker itself, and one that names an actor.
    for (const host of [`127.0.0.1:${worker.port}`, HOST]) {
      const reply = await httpRequest(envoy.httpPort, { host });
      const body = routeMode === "authority" ? NO_VERDICT : "no healthy upstream";
      assertEquals([reply.status, reply.body], [503, body], `${routeMode} ${host}`);
    }
  }
  assertEquals(worker.seen, []);
});

Deno.test("a verdict that does not say ok is not forwarded", async () => {
  await using worker = new EchoWorker();
  const target = `127.0.0.1:${worker.port}`;
  const verdicts = [
    continuedWith(),
    continuedWith(OK_METADATA),
    routedTo(target, {}),
    routedTo(target, { outcome: "error" }),
    routedTo("worker.example:80"),
    routedTo("127.0.0.1:1"),
    routedTo("127.0.0.1"),
  ];
  let next = 0;
  await using extproc = await ScriptedExtProc.start((asked) => asked.reply(verdicts[next++]!));
  await using envoy = await startEnvoy({ portExtproc: extproc.port, workerPort: worker.port });
  for (const at of verdicts.keys()) {
    const reply = await httpRequest(envoy.httpPort, { host: target });
    assertEquals([reply.status, reply.body], [503, NO_VERDICT], `verdict ${at}`);
  }
});

Deno.test("B20: a mutation written as value reaches no worker with an empty host", async () => {
  await using worker = new EchoWorker();
  await using extproc = await ScriptedExtProc.start((asked) =>
    asked.reply(routedTo(`127.0.0.1:${worker.port}`, OK_METADATA, "value"))
  );
  await using envoy = await startEnvoy({ portExtproc: extproc.port, workerPort: worker.port });
  const reply = await httpRequest(envoy.httpPort, { host: HOST });
  assertEquals([reply.status, reply.body], [503, NO_VERDICT]);
  assertEquals(worker.seen, []);
});

Deno.test("B70: without mutation_rules the request ends in our 503, not at the wrong host", async () => {
  await using worker = new EchoWorker();
  await using extproc = await ScriptedExtProc.start((asked) =>
    asked.reply(routedTo(`127.0.0.1:${worker.port}`))
  );
  await using envoy = await startEnvoy({
    portExtproc: extproc.port,
    workerPort: worker.port,
    edit: editFilter("envoy.filters.http.ext_proc", (config) => {
      const { mutation_rules: _, ...rest } = config;
      return rest;
    }),
  });
  const reply = await httpRequest(envoy.httpPort, { host: HOST });
  assertEquals([reply.status, reply.body], [503, NO_VERDICT]);
  assertEquals(await envoy.stat("http.ingress.ext_proc.rejected_header_mutations"), 1);
  assertEquals(worker.seen, []);
});

Deno.test("a router that is away means 503, never a forwarded request", async () => {
  await using worker = new EchoWorker();
  const away = await ScriptedExtProc.start(() => {});
  await away.stop();
  await using envoy = await startEnvoy({
    portExtproc: away.port,
    workerPort: worker.port,
    messageTimeoutMs: 1_000,
  });
  const reply = await httpRequest(envoy.httpPort, { host: `127.0.0.1:${worker.port}` });
  assertEquals([reply.status, reply.body], [504, ""], "message_timeout bounds the retries");
  assertEquals(worker.seen, []);
});

Deno.test("a stream the router ends with an error is a 503", async () => {
  await using extproc = await ScriptedExtProc.start((asked) => asked.end(13, "bug"));
  await using envoy = await startEnvoy({ portExtproc: extproc.port });
  const reply = await httpRequest(envoy.httpPort, { host: HOST });
  assertEquals(reply.status, 503);
  const line = await envoy.logged((line) => line.status === 503);
  assertStringIncludes(line.details ?? "", "ext_proc_error_gRPC_error_13");
});

Deno.test("what a client says of workers, timeouts or retries counts for nothing", async () => {
  await using chosen = new EchoWorker("127.0.0.3");
  await using other = new EchoWorker("127.0.0.4");
  const named = `127.0.0.4:${other.port}`;
  const headers = {
    "x-envoy-original-dst-host": named,
    "X-Envoy-Upstream-Rq-Timeout-Ms": "1",
    "x-envoy-retry-on": "5xx",
    "x-envoy-max-retries": "9",
    "x-envoy-internal": "true",
    "x-envoy-external-address": "203.0.113.9",
    "x-envoy-original-path": "/secret",
    "x-envoy-upstream-alt-stat-name": "x",
    "x-atenet-worker": named,
  };
  for (const routeMode of ["authority", "original-dst"] as const) {
    const target = `127.0.0.3:${chosen.port}`;
    await using extproc = await ScriptedExtProc.start((asked) =>
      asked.reply(
        routeMode === "authority"
          ? routedTo(target)
          : continuedWith({ ...OK_METADATA, worker: target }),
      )
    );
    const ports = { portExtproc: extproc.port, workerPort: chosen.port };
    await using envoy = await startEnvoy({ ...ports, routeMode });
    const reply = await httpRequest(envoy.httpPort, { host: HOST, headers });
    assertEquals(reply.status, 200, reply.body);
    const seen = Object.keys(chosen.seen.at(-1)?.headers ?? {});
    // Envoy itself says where the client is; nothing the client said is left.
    const control = seen.filter((name) => /^x-(envoy|atenet)-/.test(name));
    assertEquals(control, ["x-envoy-external-address"], routeMode);
  }
  assertEquals(other.seen, []);
});

Deno.test("odd request lines get an answer and reach no worker without a verdict", async () => {
  await using worker = new EchoWorker();
  await using extproc = await ScriptedExtProc.start((asked) => asked.end());
  await using envoy = await startEnvoy({ portExtproc: extproc.port, workerPort: worker.port });
  const requests: HttpRequest[] = [
    { host: HOST, method: "OPTIONS", path: "*" },
    { host: HOST, method: "CONNECT", path: `127.0.0.1:${worker.port}` },
    { host: HOST, path: `http://127.0.0.1:${worker.port}/` },
    { host: HOST, path: "//127.0.0.1/../x" },
    { path: "/no-host" },
  ];
  for (const request of requests) {
    const reply = await httpRequest(envoy.httpPort, request);
    assertEquals(reply.status >= 400, true, `${JSON.stringify(request)} -> ${reply.status}`);
  }
  assertEquals(worker.seen, []);
});
