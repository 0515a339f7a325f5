// A worker keeps its address while its actors come and go: no request ever meets the connection of an
// actor that is gone. Real Envoy, HTTP/1.1 and HTTP/2 to the worker, both ways of routing.
import { assertEquals, assertGreater } from "@std/assert";
import type { Bootstrap } from "../../src/envoy/types.ts";
import { type HttpRequest, load } from "../support/http.ts";
import { ReplacedWorker, type SandboxEnd } from "../support/replaced_worker.ts";
import { hostOf, OK, type Stack, startStack } from "../support/stack.ts";
import { until } from "../support/until.ts";

const TURNS = 24;
const PER_TURN = 16;
const AT_ONCE = 8;

const GRPC: HttpRequest = {
  method: "POST",
  headers: { "content-type": "application/grpc" },
  body: "hello",
};

/** Two actors in turn on one worker, each in a sandbox of its own. Counts statuses as logged. */
async function alternate(
  stack: Stack,
  worker: ReplacedWorker,
  request: HttpRequest,
): Promise<Map<string, number>> {
  for (const actor of ["a", "b"]) stack.script(actor, { ...OK, workerIp: "127.0.0.1" });
  for (let turn = 0; turn < TURNS; turn++) {
    worker.replace();
    const host = hostOf(turn % 2 === 0 ? "a" : "b");
    const { broken } = await load(stack.envoy.httpPort, PER_TURN, AT_ONCE, () => ({
      ...request,
      host,
    }));
    assertEquals(broken, []);
  }
  const lines = await until("the access log", () => {
    const all = stack.envoy.accessLog();
    return all.length === TURNS * PER_TURN ? all : undefined;
  });
  const seen = new Map<string, number>();
  for (const { status, flags, outcome } of lines) {
    const word = `${status} ${flags} ${outcome}`;
    seen.set(word, (seen.get(word) ?? 0) + 1);
  }
  return seen;
}

/** [routeMode, what the worker speaks, how a sandbox ends]. */
const ROWS: readonly (readonly ["authority" | "original-dst", "HTTP/1.1" | "gRPC", SandboxEnd])[] =
  [
    ["authority", "HTTP/1.1", "fin"],
    ["authority", "HTTP/1.1", "late-fin"],
    ["authority", "HTTP/1.1", "late-rst"],
    ["authority", "gRPC", "late-fin"],
    ["authority", "gRPC", "late-rst"],
    ["original-dst", "HTTP/1.1", "late-rst"],
    ["original-dst", "gRPC", "late-rst"],
  ];

for (const [routeMode, protocol, end] of ROWS) {
  Deno.test(`sandboxes are replaced on one address, 0 of 384 fail: ${routeMode}, ${protocol}, ${end}`, async () => {
    await using worker = new ReplacedWorker(end);
    const flags = { "route-mode": routeMode };
    await using stack = await startStack({ workerPort: worker.port, flags });
    const seen = await alternate(stack, worker, protocol === "gRPC" ? GRPC : {});
    assertEquals(seen, new Map([["200 - ok", TURNS * PER_TURN]]));
    assertEquals(worker.accepted, TURNS * PER_TURN, "one connection for each request");
    await until("Envoy keeps no connection", () => worker.open === 0);
  });
}

/** With connections that are used again, as Envoy does by default. */
function pooled(bootstrap: Bootstrap): Bootstrap {
  const text = JSON.stringify(
    bootstrap,
    (name, value) => name === "max_requests_per_connection" ? undefined : value,
  );
  return JSON.parse(text);
}

Deno.test("connections that are used again lose requests to a sandbox that is gone", async () => {
  await using worker = new ReplacedWorker("late-rst");
  await using stack = await startStack({ workerPort: worker.port, edit: pooled });
  const seen = await alternate(stack, worker, {});
  // The verdict was right: only Envoy's flag (connection terminated at the worker) tells.
  assertGreater(seen.get("503 UC ok") ?? 0, TURNS);
});
