// Steps 4 and 6: what holds the end of a shutdown up, and what does not.
import { assertEquals } from "@std/assert";
import { DrainStage } from "./_stage.ts";

const TIMES = { delayMs: 0, timeoutMs: 20_000, routeTimeoutMs: 10_000 };

/** A shutdown that is in step 4 at once: there is no Envoy to drain. */
function started(times = TIMES): DrainStage {
  const stage = new DrainStage(times, { envoy: undefined });
  stage.start();
  return stage;
}

interface Traffic {
  readonly everyMs: number;
  readonly tookMs: number;
  readonly forMs: number;
  /** An older request goes on waiting. */
  readonly beside?: boolean;
}

/** A request every `everyMs` that takes `tookMs`, for `forMs`. */
async function traffic(stage: DrainStage, how: Traffic): Promise<void> {
  const endMs = stage.clock.now() + how.forMs;
  while (stage.clock.now() < endMs) {
    stage.arrive();
    stage.clock.after(how.tookMs, () => how.beside ? stage.endNewest() : stage.end());
    await stage.clock.pass(how.everyMs);
  }
}

Deno.test("step 4 waits for a request without a verdict, and 250 ms more", async () => {
  const stage = new DrainStage(TIMES);
  stage.arrive();
  stage.start();
  await stage.clock.pass(4_000);
  assertEquals(stage.events.at(-1), "250 parking stopped");
  stage.end();
  await stage.clock.pass(200);
  assertEquals(stage.exit, undefined);
  await stage.clock.pass(100);
  assertEquals([stage.exit, stage.step("ext_proc")?.end], [0, "quiet"]);
});

Deno.test("fast requests that never stop do not hold step 4 up", async () => {
  const rows = [
    { everyMs: 10, tookMs: 2, elapsedMax: 275 },
    // There is no instant without one.
    { everyMs: 10, tookMs: 40, elapsedMax: 525 },
    { everyMs: 200, tookMs: 240, elapsedMax: 525 },
  ];
  for (const { everyMs, tookMs, elapsedMax } of rows) {
    const stage = started();
    await traffic(stage, { everyMs, tookMs, forMs: 3_000 });
    const { end, elapsed_ms: elapsedMs } = stage.step("ext_proc") ?? {};
    const what = `${tookMs} ms every ${everyMs} ms: ${elapsedMs} ms`;
    assertEquals(end, "quiet", what);
    assertEquals(Number(elapsedMs) >= 250 && Number(elapsedMs) <= elapsedMax, true, what);
  }
});

Deno.test("slow requests that never stop hold step 4 up, the drain timeout at most", async () => {
  const stage = started({ ...TIMES, timeoutMs: 3_000 });
  await traffic(stage, { everyMs: 200, tookMs: 600, forMs: 5_000 });
  assertEquals(stage.step("ext_proc")?.end, "timeout");
  assertEquals(stage.step("ext_proc")?.elapsed_ms, 3_000);
});

Deno.test("a slow request among fast ones is waited for", async () => {
  const stage = started();
  await stage.clock.pass(50);
  stage.arrive();
  await traffic(stage, { everyMs: 50, tookMs: 10, forMs: 5_000, beside: true });
  assertEquals(stage.exit, undefined, "the slow one has waited for 5 s");
  stage.end();
  await stage.clock.pass(1_000);
  assertEquals([stage.exit, stage.step("ext_proc")?.end], [0, "quiet"]);
});

Deno.test("a request that comes when the 250 ms are nearly over, and is slow, is waited for", async () => {
  const stage = started();
  await stage.clock.pass(225);
  stage.arrive();
  await stage.clock.pass(3_000);
  assertEquals(stage.exit, undefined);
  stage.end();
  await stage.clock.pass(300);
  assertEquals([stage.exit, stage.step("ext_proc")?.end], [0, "quiet"]);
  assertEquals(stage.log.at(-1)?.routed, 1);
});

Deno.test("step 6: Envoy that closes its connections is left at once", async () => {
  const stage = started();
  stage.connections = 2;
  await stage.clock.pass(450);
  stage.connections = 0;
  await stage.clock.pass(500);
  assertEquals(stage.step("close")?.elapsed_ms, 225);
  assertEquals(stage.step("close")?.connections, 0);
  assertEquals(stage.exit, 0);
});

Deno.test("step 6: Envoy that stays is answered for 700 ms, then told to go, 1 s in all", async () => {
  const stage = started();
  stage.connections = 2;
  await traffic(stage, { everyMs: 10, tookMs: 2, forMs: 3_000 });
  const { elapsed_ms: elapsedMs, connections, cut } = stage.step("close") ?? {};
  assertEquals([elapsedMs, connections, cut], [1_000, 2, 0]);
  const toldMs = Number(stage.events.find((one) => one.endsWith("told to go"))?.split(" ")[0]);
  const closedMs = Number(stage.events.find((one) => one.endsWith("closed"))?.split(" ")[0]);
  assertEquals(closedMs - toldMs, 300);
  assertEquals(stage.exit, 0);
});

Deno.test("step 6: requests in progress when Envoy is told to go end by themselves", async () => {
  const stage = started();
  stage.connections = 1;
  // Every 240 ms one that takes 200 ms: at most instants one is in progress.
  while (!stage.events.some((one) => one.endsWith("told to go"))) {
    await traffic(stage, { everyMs: 240, tookMs: 200, forMs: 240 });
  }
  await stage.clock.pass(1_000);
  assertEquals(stage.step("close")?.cut, 0);
  assertEquals(stage.exit, 0);
  assertEquals(stage.log.at(-1)?.reset, 0);
});

Deno.test("step 6: what is still without a verdict after 1 s is reset and counted", async () => {
  const stage = started({ ...TIMES, timeoutMs: 3_000 });
  stage.arrive(2);
  stage.connections = 1;
  await stage.clock.pass(10_000);
  assertEquals(stage.step("ext_proc")?.left, 2);
  assertEquals(stage.step("close")?.elapsed_ms, 1_000);
  assertEquals([stage.step("close")?.cut, stage.log.at(-1)?.reset, stage.exit], [2, 2, 3]);
});

Deno.test("a second signal in step 6 leaves nothing to wait for", async () => {
  const stage = started();
  stage.connections = 1;
  await stage.clock.pass(800);
  assertEquals(stage.drain.view()?.step, "close");
  stage.drain.force("SIGTERM");
  await stage.clock.pass(0);
  assertEquals(stage.exit, 0);
  assertEquals(stage.events.slice(-4).map((one) => one.replace(/^\d+ /, "")), [
    "told to go",
    "closed",
    "flush",
    "exit 0",
  ]);
});
