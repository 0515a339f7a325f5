// The last steps share what is left: with time each has its own bound, without they fit the sum.
import { assertEquals, assertGreaterOrEqual, assertLessOrEqual } from "@std/assert";
import { shutdownSumMs, Tail } from "../../src/process/tail.ts";
import { HandClock } from "./_clock.ts";
import { DrainStage, TIMES } from "./_stage.ts";

Deno.test("bounds are each one's own while there is time, then what the others leave", () => {
  const rows: readonly [leftMs: number, ...bounds: number[]][] = [
    // left, marker, close, flush, last closes, log
    [60_000, 1_000, 1_000, 2_000, 2_000, 500],
    [4_000, 1_000, 1_000, 2_000, 2_000, 500],
    [3_000, 250, 1_000, 2_000, 2_000, 500],
    [1_750, 0, 250, 1_250, 1_650, 500],
    [1_500, 0, 0, 1_000, 1_400, 500],
    [500, 0, 0, 0, 400, 500],
    [100, 0, 0, 0, 0, 100],
    [0, 0, 0, 0, 0, 0],
    [-5, 0, 0, 0, 0, 0],
  ];
  for (const [leftMs, ...bounds] of rows) {
    const clock = new HandClock();
    clock.advance(100_000);
    const tail = new Tail(clock, clock.now() + leftMs);
    const own = [tail.markerMs(), tail.closeMs(), tail.flushMs(), tail.lastMs(), tail.logMs()];
    assertEquals(own, bounds, `${leftMs} ms left`);
  }
});

const HANGS = ["markerHangs", "closeHangs", "flushHangs"] as const;

for (let which = 0; which < 2 ** HANGS.length; which++) {
  const hanging = HANGS.filter((_, bit) => (which >> bit) % 2 === 1);
  Deno.test(`a shutdown in which all waits end by their bounds fits the sum: ${hanging}`, async () => {
    const stage = new DrainStage();
    for (const name of hanging) stage[name] = true;
    // Envoy never drains, a request never ends, Envoy never closes its connection.
    stage.envoyConnections = 1;
    stage.connections = 1;
    stage.arrive();
    stage.start();
    await stage.clock.pass(60_000);
    assertEquals([stage.exit, stage.step("ext_proc")?.end], [3, "timeout"]);
    const sumMs = shutdownSumMs(TIMES, true);
    const endMs = Number(stage.events.at(-1)?.split(" ")[0]);
    // What is closed after the steps has half a second of the sum.
    assertLessOrEqual(endMs, sumMs - 500);
    if (stage.flushHangs) assertGreaterOrEqual(Number(stage.step("telemetry")?.elapsed_ms), 1_000);
    assertEquals(stage.step("close")?.cut, 1);
  });
}

Deno.test("after the steps there is time for what is still open; a second signal leaves a moment", async () => {
  const stage = new DrainStage({ delayMs: 0 });
  stage.flushHangs = true;
  stage.start();
  await stage.clock.pass(1_000);
  assertEquals(stage.drain.lastMs(), { close: 2_000, log: 500 });
  stage.drain.force("SIGTERM");
  assertEquals(stage.drain.lastMs(), { close: 250, log: 500 });
  await stage.clock.pass(250);
  assertEquals(stage.exit, 0);
});
