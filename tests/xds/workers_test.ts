// Where a request goes, with the configuration from ADS, in both route modes: to the worker that the
// verdict names, whichever of very many that is, and nowhere else, whatever a client sends.
import { assertEquals } from "@std/assert";
import type { RouteMode } from "../../src/envoy/options.ts";
import { EchoWorker } from "../support/echo.ts";
import { continuedWith } from "../support/ext_proc_messages.ts";
import { httpRequest, load } from "../support/http.ts";
import { until } from "../support/until.ts";
import { HOST, startWorld, verdictFor } from "./_world.ts";

const MODES: readonly RouteMode[] = ["authority", "original-dst"];
/** More than the 1,024 that Envoy's DNS cache holds by default. */
const WORKERS = 1_200;

function hostOf(i: number): string {
  return `a${i}.demo.actors.resources.substrate.ate.dev`;
}

/** Every address of 127/8 is this machine's. */
function addressOf(i: number): string {
  return `127.8.${i >> 8}.${i & 255}`;
}

for (const routeMode of MODES) {
  Deno.test(`${routeMode}: ${WORKERS} workers are reached over ADS, each by its own actor`, async () => {
    const answered = new Map<string, string>();
    await using worker = new EchoWorker("0.0.0.0", ({ headers }) => Response.json(headers));
    await using world = await startWorld({
      over: { routeMode, workerPort: worker.port },
      script: (asked) => {
        const actor = Number(/^a(\d+)\./.exec(asked.headers.get(":authority") ?? "")?.[1]);
        asked.reply(verdictFor(routeMode, `${addressOf(actor)}:${worker.port}`));
      },
    });
    const { broken, byStatus } = await load(
      world.envoy.httpPort,
      WORKERS,
      16,
      (i) => ({ host: hostOf(i), headers: { "x-request": `${i}` } }),
      (i, { body }) => answered.set(hostOf(i), JSON.parse(body).host),
    );
    assertEquals([broken, byStatus], [[], new Map([[200, WORKERS]])]);
    const hosts = Array.from({ length: WORKERS }, (_, i) => i);
    assertEquals(
      hosts.map((i) => answered.get(hostOf(i))),
      hosts.map((i) => routeMode === "authority" ? `${addressOf(i)}:${worker.port}` : hostOf(i)),
    );
    await until("as many upstreams as actors in the access log", () => {
      const served = world.envoy.accessLog().filter(({ status }) => status === 200);
      return new Set(served.map((line) => line.worker)).size === WORKERS;
    });
  });

  Deno.test(`${routeMode}: nothing a client sends chooses a worker`, async () => {
    await using chosen = new EchoWorker("127.0.0.3");
    await using other = new EchoWorker("127.0.0.4");
    const named = `127.0.0.4:${other.port}`;
    let verdict = verdictFor(routeMode, `127.0.0.3:${chosen.port}`);
    await using world = await startWorld({
      over: { routeMode, workerPort: chosen.port },
      script: (asked) => asked.reply(verdict),
    });
    const sly = {
      "x-envoy-original-dst-host": named,
      "x-envoy-decorator-operation": named,
      "X-Atenet-Worker": named,
      "x-forwarded-host": named,
      "forwarded": `host=${named}`,
      "metadata": `atenet.worker=${named}`,
      "grpc-metadata-atenet": named,
      "proxy-connection": "keep-alive",
    };
    const requests = [
      { host: HOST, headers: sly },
      { host: named, headers: sly },
      { host: HOST, headers: sly, path: `http://${named}/` },
      { host: HOST, headers: { ...sly, "content-type": "application/grpc" }, method: "POST" },
    ];
    for (const request of requests) {
      const reply = await httpRequest(world.envoy.httpPort, { body: "", ...request });
      assertEquals(reply.status, 200, reply.body);
    }
    assertEquals([chosen.seen.length, other.seen.length], [requests.length, 0]);
    // A verdict that names nobody, and one of another kind: the client's wish counts no more.
    for (const silent of [continuedWith(), continuedWith({ outcome: "ok" })]) {
      verdict = silent;
      for (const request of requests) {
        const reply = await httpRequest(world.envoy.httpPort, { body: "", ...request });
        const grpc = request.method === "POST";
        assertEquals(reply.status, grpc ? 200 : 503, `${JSON.stringify(request)}: ${reply.body}`);
      }
    }
    assertEquals([chosen.seen.length, other.seen.length], [requests.length, 0]);
  });
}
