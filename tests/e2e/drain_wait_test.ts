// The handshake with a sidecar's preStop hook, as the hook sees it: GET /drain/wait over HTTP, and the
// drain-complete file. Envoy must be let go when nobody needs it, and not before.
import { assertEquals, assertGreaterOrEqual, assertLess } from "@std/assert";
import { C0, OK, RX, type Stack, startStack } from "../support/stack.ts";
import { until } from "../support/until.ts";

interface Hook {
  readonly answer: [status: number, body: string];
  readonly tookMs: number;
}

async function hook(stack: Stack): Promise<Hook> {
  const startMs = performance.now();
  const response = await fetch(`http://127.0.0.1:${stack.router.statusPort}/drain/wait`);
  const answer: Hook["answer"] = [response.status, await response.text()];
  return { answer, tookMs: performance.now() - startMs };
}

/** Milliseconds from the signal to the end of a step, by the router's own log. */
function endOf(stack: Stack, step: string): number {
  const lines = stack.router.log().filter(({ msg }) => msg === "drain");
  const at = lines.findIndex((line) => line["step"] === step);
  return lines.slice(0, at + 1).reduce((sum, line) => sum + Number(line["elapsed_ms"]), 0);
}

Deno.test("no drain begins: the hook is told so after 3 s", async () => {
  await using stack = await startStack({ flags: C0 });
  const { answer, tookMs } = await hook(stack);
  assertEquals(answer, [200, "not draining\n"]);
  assertGreaterOrEqual(tookMs, 2_900);
  assertLess(tookMs, 9_000);
});

Deno.test("the hook is answered when nobody needs Envoy any more, whoever came first", async () => {
  await using dir = await tempDir();
  const file = `${dir.path}/drained`;
  const flags = {
    ...C0,
    "parked-request-budget": "2s",
    "drain-delay": "500ms",
    "drain-complete-file": file,
  };
  await using stack = await startStack({ flags, drainsEnvoy: true });
  stack.script("parked", RX);
  // The hook may be a moment earlier than the signal, or later.
  const early = hook(stack);
  const reply = stack.ask("parked");
  await stack.parked(1);
  const signalMs = performance.now();
  stack.router.signal("SIGTERM");
  await stack.router.statusWhen("the shutdown to begin", ({ drain }) => drain !== null);
  const late = hook(stack);
  const { status } = await reply;
  assertEquals(status, 503, "Envoy was there to the end of the budget");
  for (const told of [await early, await late]) assertEquals(told.answer, [200, "drained\n"]);
  const toldMs = performance.now() - signalMs;
  assertEquals(await Deno.readTextFile(file), "drained\n");
  const code = await stack.router.exit;
  assertEquals(code, 0);
  assertGreaterOrEqual(toldMs, endOf(stack, "ext_proc") - 50, "not before the last verdict");
  const bound = stack.router.log().find(({ msg }) => msg === "shutdown begins")?.["bound_ms"];
  assertLess(toldMs, Number(bound), "within the sum");
});

Deno.test("at most 16 wait, the next is told so at once; a second signal lets all go", async () => {
  const flags = { ...C0, "drain-delay": "30s" };
  await using stack = await startStack({ flags });
  stack.router.signal("SIGTERM");
  await stack.router.statusWhen("the shutdown to begin", ({ drain }) => drain !== null);
  const waiting = Array.from({ length: 17 }, () => hook(stack));
  const first = await Promise.race(waiting);
  assertEquals(first.answer, [503, "too many waiters\n"]);
  stack.router.signal("SIGTERM");
  const answers = (await Promise.all(waiting)).map(({ answer }) => answer.join(" "));
  assertEquals(answers.filter((answer) => answer === "200 drained\n").length, 16);
  assertEquals(await stack.router.exit, 0);
});

Deno.test("B75: a drain-complete file of an earlier run is gone before the router is ready", async () => {
  await using dir = await tempDir();
  const file = `${dir.path}/drained`;
  await Deno.writeTextFile(file, "drained\n");
  const flags = { ...C0, "drain-delay": "0s", "drain-complete-file": file };
  await using stack = await startStack({ flags });
  assertEquals(await exists(file), false, "removed at the start");
  // A crash writes nothing.
  await stack.restartRouter("SIGKILL");
  assertEquals(await exists(file), false);
  // A shutdown writes it after the last verdict, and not before.
  stack.script("parked", RX);
  const reply = stack.ask("parked");
  await stack.parked(1);
  stack.router.signal("SIGTERM");
  await stack.router.statusWhen("the shutdown to begin", ({ drain }) => drain !== null);
  assertEquals(await exists(file), false);
  stack.script("parked", OK);
  assertEquals((await reply).status, 200);
  assertEquals(await stack.router.exit, 0);
  assertEquals(await exists(file), true);
  await stack.startRouter();
  assertEquals(await exists(file), false);
});

Deno.test("B75: a file that cannot be written is said, and blocks no exit", async () => {
  await using dir = await tempDir();
  const file = `${dir.path}/gone/drained`;
  const flags = { ...C0, "drain-delay": "0s", "drain-complete-file": file };
  await using stack = await startStack({ flags });
  stack.router.signal("SIGTERM");
  assertEquals(await stack.router.exit, 0);
  const said = await until(
    "the log line",
    () => stack.router.log().find(({ msg }) => msg === "drain-complete file"),
  );
  assertEquals(said.level, "warn");
  assertEquals(String(said["error"]).includes(file), true);
});

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}

async function tempDir(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await Deno.makeTempDir({ prefix: "atenet-drain-" });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}
