// The end of step 4: who has its verdict is at a worker, and Envoy is needed until that has answered.
import { assertEquals } from "@std/assert";
import { DrainStage } from "./_stage.ts";

/** A shutdown whose last verdict comes at 1 s, and that request's worker answers `answerMs` later. */
async function lastOneAtWorker(
  answerMs: number,
  times: { timeoutMs?: number; routeTimeoutMs?: number } = {},
): Promise<DrainStage> {
  const stage = new DrainStage({ delayMs: 0, ...times });
  stage.start();
  // Step 3 ends: no connections. Then somebody comes.
  await stage.clock.pass(250);
  stage.envoyConnections = 1;
  stage.arrive();
  await stage.clock.pass(750);
  stage.end();
  stage.atWorkers = 1;
  stage.clock.after(answerMs, () => stage.atWorkers = 0);
  return stage;
}

/** When Envoy was let go. */
function releasedAtMs(stage: DrainStage): number {
  return Number(stage.events.find((one) => one.endsWith("released"))?.split(" ")[0]);
}

Deno.test("Envoy is kept until the worker of the last verdict has answered", async () => {
  const stage = await lastOneAtWorker(4_000);
  await stage.clock.pass(3_900);
  assertEquals(stage.drain.view()?.step, "ext_proc");
  await stage.clock.pass(2_000);
  assertEquals(stage.step("ext_proc")?.at_workers, "no requests");
  const ms = releasedAtMs(stage);
  assertEquals(ms >= 5_000 && ms <= 5_200, true, `${ms}`);
  assertEquals(stage.exit, 0);
});

Deno.test("a worker that never answers is waited for as long as Envoy would, then not", async () => {
  const stage = await lastOneAtWorker(60_000, { routeTimeoutMs: 3_000 });
  await stage.clock.pass(10_000);
  assertEquals(stage.step("ext_proc")?.at_workers, "timeout");
  // The last verdict at 1 s, quiet at 1.25 s, and 3 s more; a look is taken every 25 ms.
  const ms = releasedAtMs(stage);
  assertEquals(ms >= 4_250 && ms <= 4_300, true, `${ms}`);
});

Deno.test("the drain timeout bounds that wait too, also without a route timeout", async () => {
  for (const routeTimeoutMs of [0, 10_000]) {
    const stage = await lastOneAtWorker(60_000, { timeoutMs: 5_000, routeTimeoutMs });
    await stage.clock.pass(10_000);
    assertEquals(stage.step("ext_proc")?.elapsed_ms, 5_000);
    assertEquals([releasedAtMs(stage), stage.exit], [5_250, 0]);
  }
});

Deno.test("an Envoy that goes away meanwhile is not waited for", async () => {
  const stage = await lastOneAtWorker(60_000);
  await stage.clock.pass(1_000);
  stage.envoyGone = true;
  await stage.clock.pass(1_000);
  assertEquals([stage.step("ext_proc")?.at_workers, stage.exit], ["gone", 0]);
});

Deno.test("an Envoy that does not tell is waited for as long as a worker may take", async () => {
  const stage = new DrainStage({ delayMs: 0, routeTimeoutMs: 3_000 });
  stage.envoyHidesGauges = true;
  stage.start();
  await stage.clock.pass(25_000);
  assertEquals(stage.step("envoy")?.end, "no gauges");
  assertEquals(stage.step("ext_proc")?.at_workers, "no gauges");
  const ms = releasedAtMs(stage);
  assertEquals(ms >= 18_250 && ms <= 18_300, true, `${ms}`);
  assertEquals(stage.exit, 0);
});

Deno.test("an Envoy that was gone in step 3 is not asked again", async () => {
  let asked = 0;
  const admin = {
    healthcheckFail: () => Promise.reject(new Error("refused")),
    downstreamConnections: () => Promise.reject(new Error("refused")),
    downstreamRequests: () => {
      asked++;
      return Promise.reject(new Error("refused"));
    },
  };
  const gone = new DrainStage({ delayMs: 0 }, { envoy: admin });
  gone.start();
  await gone.clock.pass(5_000);
  assertEquals([gone.step("envoy")?.end, gone.step("ext_proc")?.at_workers], ["gone", "gone"]);
  assertEquals([asked, gone.exit], [0, 0]);
});

Deno.test("an admin interface that hangs costs that wait two of its calls, not more", async () => {
  const stage = new DrainStage({ delayMs: 0 }, {
    envoy: {
      healthcheckFail: () => Promise.resolve(true),
      downstreamConnections: () => Promise.resolve(0),
      downstreamRequests: () => new Promise(() => {}),
    },
  });
  stage.start();
  await stage.clock.pass(10_000);
  assertEquals(stage.step("ext_proc")?.at_workers, "gone");
  assertEquals(Number(stage.step("ext_proc")?.elapsed_ms) <= 4_500, true);
});

Deno.test("B68: a second signal ends that wait at once", async () => {
  const stage = await lastOneAtWorker(60_000);
  await stage.clock.pass(1_000);
  stage.drain.force("SIGTERM");
  await stage.clock.pass(0);
  const [line] = stage.log.filter(({ msg, step }) => msg === "drain" && step === "ext_proc");
  assertEquals([line?.at_workers, stage.exit], ["interrupted", 0]);
});
