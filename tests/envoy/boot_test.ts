// The printed configuration on the real Envoy: it starts, asks the router for every request, and
// the request reaches the worker the router named, in both route modes.
import { assertEquals, assertMatch } from "@std/assert";
import { EchoWorker } from "../support/echo.ts";
import { startEnvoy } from "../support/envoy.ts";
import { continuedWith, deniedWith, OK_METADATA, routedTo } from "../support/ext_proc_messages.ts";
import { ScriptedExtProc } from "../support/ext_proc_script.ts";
import { httpRequest } from "../support/http.ts";

const HOST = "a1.demo.actors.resources.substrate.ate.dev";

Deno.test("the default configuration forwards to the worker the router named", async () => {
  await using worker = new EchoWorker("127.0.0.9");
  const target = `127.0.0.9:${worker.port}`;
  await using extproc = await ScriptedExtProc.start((asked) => asked.reply(routedTo(target)));
  await using envoy = await startEnvoy({ portExtproc: extproc.port, workerPort: worker.port });
  const reply = await httpRequest(envoy.httpPort, { host: HOST, path: "/x?token=S1" });
  assertEquals(reply.status, 200, reply.body);
  assertEquals(worker.seen[0]?.headers["host"], target);
  assertEquals(worker.seen[0]?.path, "/x?token=S1", "the worker gets the path as it came");
  assertEquals(envoy.complaints(), [], "Envoy has nothing to warn of");
});

Deno.test("only what the router needs of a request leaves Envoy", async () => {
  await using worker = new EchoWorker();
  await using extproc = await ScriptedExtProc.start((asked) =>
    asked.reply(routedTo(`127.0.0.1:${worker.port}`))
  );
  await using envoy = await startEnvoy({ portExtproc: extproc.port, workerPort: worker.port });
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const headers = { authorization: "Bearer S2", cookie: "c=S3", traceparent, tracestate: "k=v" };
  await httpRequest(envoy.httpPort, { host: HOST, headers, path: "/p" });
  const sent = extproc.asked[0]?.headers ?? new Map();
  assertEquals([...sent.keys()].sort(), [
    ...[":authority", ":method", ":path", ":scheme"],
    ...["traceparent", "tracestate", "x-request-id"],
  ]);
  assertEquals(sent.get(":authority"), HOST);
  assertEquals(sent.get("traceparent"), traceparent);
  assertEquals(worker.seen[0]?.headers["authorization"], "Bearer S2", "the worker gets all");
});

Deno.test("original-dst: the actor keeps its host and the metadata chooses the worker", async () => {
  await using worker = new EchoWorker("127.0.0.7");
  const target = `127.0.0.7:${worker.port}`;
  await using extproc = await ScriptedExtProc.start((asked) =>
    asked.reply(continuedWith({ ...OK_METADATA, worker: target }))
  );
  await using envoy = await startEnvoy({
    portExtproc: extproc.port,
    workerPort: worker.port,
    routeMode: "original-dst",
  });
  const reply = await httpRequest(envoy.httpPort, { host: HOST });
  assertEquals(reply.status, 200, reply.body);
  assertEquals(worker.seen[0]?.headers["host"], HOST);
  const line = await envoy.logged((line) => line.status === 200);
  assertEquals(line.worker, target);
});

Deno.test("an IPv6 worker is reached in brackets, in both modes", async () => {
  await using worker = new EchoWorker("::1");
  const target = `[::1]:${worker.port}`;
  for (const routeMode of ["authority", "original-dst"] as const) {
    await using extproc = await ScriptedExtProc.start((asked) =>
      asked.reply(
        routeMode === "authority"
          ? routedTo(target)
          : continuedWith({ ...OK_METADATA, worker: target }),
      )
    );
    const ports = { portExtproc: extproc.port, workerPort: worker.port };
    await using envoy = await startEnvoy({ ...ports, routeMode });
    const reply = await httpRequest(envoy.httpPort, { host: HOST });
    assertEquals(reply.status, 200, `${routeMode}: ${reply.body}`);
  }
});

Deno.test("gRPC reaches the worker as HTTP/2, everything else as HTTP/1.1", async () => {
  await using worker = new EchoWorker();
  await using extproc = await ScriptedExtProc.start((asked) =>
    asked.reply(routedTo(`127.0.0.1:${worker.port}`))
  );
  await using envoy = await startEnvoy({ portExtproc: extproc.port, workerPort: worker.port });
  const grpc = { "content-type": "application/grpc", te: "trailers" };
  await httpRequest(envoy.httpPort, { host: HOST, method: "POST", headers: grpc, body: "" });
  await httpRequest(envoy.httpPort, { host: HOST });
  assertEquals(await envoy.stat("cluster.atenet_workers_grpc.upstream_cx_http2_total"), 1);
  assertEquals(await envoy.stat("cluster.atenet_workers.upstream_cx_http1_total"), 1);
});

Deno.test("the access log tells what the router said, without secrets", async () => {
  const denial = {
    outcome: "no_capacity",
    park: "budget_exhausted",
    parked_ms: 5003,
    attempts: 29,
  };
  await using extproc = await ScriptedExtProc.start((asked) =>
    asked.reply(deniedWith(503, "no free workers", denial))
  );
  await using envoy = await startEnvoy({ portExtproc: extproc.port });
  const host = `user:S5@${HOST}`;
  const reply = await httpRequest(envoy.httpPort, { host, path: "/p?token=S1" });
  assertEquals([reply.status, reply.body], [503, "no free workers"]);
  const line = await envoy.logged((line) => line.status === 503);
  assertEquals(line.host, `***@${HOST}`);
  assertEquals(line.path, "/p");
  assertEquals(line.details, "no_capacity");
  assertEquals([line.outcome, line.park, line.parked_ms, line.attempts], [
    "no_capacity",
    "budget_exhausted",
    5003,
    29,
  ]);
  assertMatch(JSON.stringify(line), /^(?!.*S[15])/);
});
