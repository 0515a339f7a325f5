// Envoy outlives its router: drained by the one that stops, taken back by the one that starts.
import { assertEquals, assertGreaterOrEqual, assertLess } from "@std/assert";
import { hostOf, OK, type Stack, startStack } from "../support/stack.ts";
import { HttpConnection } from "../support/http.ts";
import { until } from "../support/until.ts";

/** Does a connection stay open after a reply? */
async function keepsAlive(stack: Stack): Promise<boolean> {
  using connection = await HttpConnection.open(stack.envoy.httpPort);
  const { status, keepAlive } = await connection.request({ host: hostOf("warm") });
  assertEquals(status, 200);
  return keepAlive;
}

/** Milliseconds since the router said `ready`. */
function sinceReadyMs(stack: Stack): number {
  const ready = stack.router.log().find(({ msg }) => msg === "ready");
  return Date.now() - Date.parse(String(ready?.["time"]));
}

Deno.test("a router with default flags stops and another starts: its Envoy is back within 2 s", async () => {
  await using stack = await startStack({ drainsEnvoy: true });
  stack.script("warm", OK);
  assertEquals(await keepsAlive(stack), true);
  stack.router.signal("SIGTERM");
  await until("Envoy to drain", async () => !await stack.envoy.admin.ready(), 30_000);
  assertEquals(await keepsAlive(stack), false, "every response closes its connection");
  assertEquals(await stack.router.exit, 0);
  const step = (name: string) => stack.router.log().find((line) => line["step"] === name);
  assertGreaterOrEqual(Number(step("delay")?.["elapsed_ms"]), 13_000);
  // It goes on saying so when its router is gone.
  assertEquals((await stack.envoy.admin.serverInfo()).state, "DRAINING");
  await stack.startRouter();
  await until("Envoy to be ready", () => stack.envoy.admin.ready());
  assertEquals(await keepsAlive(stack), true);
  assertLess(sinceReadyMs(stack), 2_000);
  const said = stack.router.log().filter(({ msg }) => msg.startsWith("Envoy was draining"));
  assertEquals(said.length, 1);
});

Deno.test("a router that is killed while it drains its Envoy: the next one takes it back", async () => {
  const flags = { "drain-delay": "0s" };
  await using stack = await startStack({ flags, drainsEnvoy: true });
  stack.script("warm", OK);
  stack.script("stuck", { kind: "hang" });
  const stuck = await stack.start("stuck");
  await stack.router.statusWhen("it waits", ({ engine }) => engine.callers === 1);
  stack.router.signal("SIGTERM");
  await until("Envoy to drain", async () => !await stack.envoy.admin.ready());
  assertEquals((await stack.restartRouter("SIGKILL")).code, 137);
  await until("Envoy to be ready", () => stack.envoy.admin.ready());
  assertEquals(await keepsAlive(stack), true);
  assertLess(sinceReadyMs(stack), 2_000);
  stuck.abort();
  await stuck.reply;
});
