import { assertEquals } from "@std/assert";
import { shutdownSumMs } from "../../src/process/tail.ts";
import { denied, routed } from "../telemetry/_records.ts";
import { DrainStage, TIMES } from "./_stage.ts";

const EXHAUSTED = denied({ outcome: "no_capacity", park: "budget_exhausted" });

Deno.test("the whole sequence fits 60 s with the default flags", () => {
  assertEquals(shutdownSumMs(TIMES, true), 51_000);
  assertEquals(shutdownSumMs(TIMES, false), 36_000);
});

Deno.test("an idle router: the steps in order, each at its time", async () => {
  const stage = new DrainStage();
  stage.start();
  await stage.clock.pass(20_000);
  assertEquals(stage.events, [
    "0 readiness off",
    "0 waiters told",
    "13000 envoy health check failed",
    "13250 parking stopped",
    "13500 marker",
    "13500 released",
    "13500 told to go",
    "13500 closed",
    "13500 flush",
    "13500 exit 0",
  ]);
  assertEquals(stage.messages(), [
    "shutdown begins",
    "drain readiness",
    "drain delay",
    "drain envoy",
    "drain ext_proc",
    "drain marker",
    "drain close",
    "drain telemetry",
    "shutdown complete",
  ]);
  assertEquals(stage.step("delay")?.elapsed_ms, 13_000);
  assertEquals(stage.step("envoy")?.end, "no connections");
  assertEquals(stage.step("ext_proc")?.elapsed_ms, 250);
  assertEquals(stage.log[0]?.bound_ms, 51_000);
  assertEquals(stage.clock.armed, 0);
});

Deno.test("B17: parked requests get their verdicts, the ledger adds up, exit 0", async () => {
  const stage = new DrainStage({ delayMs: 0, timeoutMs: 20_000 });
  stage.envoyConnections = 1;
  stage.arrive(4);
  stage.start();
  await stage.clock.pass(1_500);
  stage.end(routed({ park: "served" }));
  await stage.clock.pass(1_000);
  stage.envoyConnections = 0;
  for (let count = 0; count < 3; count++) stage.end(EXHAUSTED);
  await stage.clock.pass(5_000);
  const last = stage.log.at(-1);
  assertEquals(stage.exit, 0);
  assertEquals([last?.open_at_signal, last?.arrived_since], [4, 0]);
  assertEquals([last?.routed, last?.budget_exhausted, last?.reset, last?.remaining], [1, 3, 0, 0]);
});

Deno.test("at the drain deadline streams are reset and counted: exit 3", async () => {
  const stage = new DrainStage({ delayMs: 0, timeoutMs: 3_000 });
  stage.arrive(2);
  stage.connections = 1;
  stage.start();
  await stage.clock.pass(10_000);
  assertEquals(stage.exit, 3);
  assertEquals(stage.step("ext_proc")?.end, "timeout");
  assertEquals(stage.step("ext_proc")?.elapsed_ms, 3_000);
  assertEquals(stage.step("close")?.cut, 2);
  assertEquals(stage.log.at(-1)?.reset, 2);
});

Deno.test("a stream answered in step 6 is not reset", async () => {
  const stage = new DrainStage({ delayMs: 0, timeoutMs: 3_000 });
  stage.arrive();
  stage.connections = 1;
  stage.start();
  await stage.clock.pass(3_500);
  assertEquals(stage.events.at(-1), "3250 released");
  stage.end();
  await stage.clock.pass(1_000);
  assertEquals([stage.exit, stage.log.at(-1)?.routed], [0, 1]);
});

Deno.test("B68: a second signal in any step ends the sequence at once", async () => {
  const table: [number, string][] = [
    [5_000, "delay"],
    [14_000, "envoy"],
    [29_000, "ext_proc"],
  ];
  for (const [atMs, step] of table) {
    const stage = new DrainStage();
    stage.envoyConnections = 1;
    stage.arrive(2);
    stage.start();
    await stage.clock.pass(atMs);
    assertEquals(stage.drain.view()?.step, step);
    stage.drain.force("SIGINT");
    stage.drain.force("SIGINT");
    await stage.clock.pass(0);
    assertEquals(stage.exit, 3, step);
    assertEquals(stage.events.at(-1), `${atMs} exit 3`);
    assertEquals(stage.log.filter((line) => line.msg === "drain forced").length, 1);
  }
});

Deno.test("a second signal with nothing open exits 0", async () => {
  const stage = new DrainStage();
  stage.start();
  await stage.clock.pass(1_000);
  stage.drain.force("SIGTERM");
  await stage.clock.pass(0);
  assertEquals(stage.exit, 0);
});

Deno.test("a second signal while telemetry hangs leaves it 250 ms", async () => {
  const stage = new DrainStage({ delayMs: 0, timeoutMs: 20_000 });
  stage.flushHangs = true;
  stage.start();
  await stage.clock.pass(1_000);
  assertEquals(stage.drain.view()?.step, "telemetry");
  stage.drain.force("SIGTERM");
  await stage.clock.pass(249);
  assertEquals(stage.exit, undefined);
  await stage.clock.pass(1);
  assertEquals(stage.exit, 0);
});

Deno.test("B75: the marker is written after the last verdict; its failure blocks nothing", async () => {
  for (const how of ["markerFails", "markerHangs"] as const) {
    const stage = new DrainStage({ delayMs: 0, timeoutMs: 20_000 });
    stage[how] = true;
    stage.start();
    await stage.clock.pass(5_000);
    assertEquals(stage.exit, 0, how);
    const names = stage.events.map((event) => event.replace(/^\d+ /, ""));
    assertEquals(names.slice(-6), [
      "marker",
      "released",
      "told to go",
      "closed",
      "flush",
      "exit 0",
    ]);
  }
});

Deno.test("telemetry that hangs is cut at 2 s, a close that hangs at 1 s", async () => {
  const stage = new DrainStage({ delayMs: 0, timeoutMs: 20_000 });
  stage.flushHangs = true;
  stage.closeHangs = true;
  stage.start();
  await stage.clock.pass(10_000);
  assertEquals(stage.step("telemetry"), {
    at: 3_500,
    msg: "drain",
    step: "telemetry",
    elapsed_ms: 2_000,
    flushed: "timeout",
  });
  assertEquals(stage.step("close")?.elapsed_ms, 1_000);
  assertEquals(stage.exit, 0);
});

Deno.test("a last export that fails is logged as failed, with its error, and blocks nothing", async () => {
  const stage = new DrainStage({ delayMs: 0, timeoutMs: 20_000 });
  stage.flushFails = true;
  stage.start();
  await stage.clock.pass(10_000);
  assertEquals(stage.step("telemetry")?.flushed, "failed");
  const said = stage.log.find((line) => line.msg === "last export");
  assertEquals(said?.error, "Error: refused");
  assertEquals(stage.exit, 0);
});

Deno.test("a part that throws is logged and the next step begins", async () => {
  const broken = {
    off() {
      throw new Error("boom");
    },
  };
  const stage = new DrainStage({ delayMs: 0, timeoutMs: 1_000 }, { readiness: broken });
  stage.start();
  await stage.clock.pass(5_000);
  assertEquals(stage.exit, 0);
  assertEquals(stage.step("readiness")?.msg, "drain step failed");
});

Deno.test("without an Envoy and without a marker the steps are short", async () => {
  const parts = { envoy: undefined, marker: undefined };
  const stage = new DrainStage({ delayMs: 0, timeoutMs: 1_000 }, parts);
  stage.start();
  await stage.clock.pass(250);
  assertEquals(stage.exit, 0);
  assertEquals([stage.step("envoy")?.end, stage.step("marker")?.file], [
    "no Envoy to drain",
    "none",
  ]);
});

Deno.test("run is idempotent; the view tells the step, the time and what remains", async () => {
  const stage = new DrainStage();
  assertEquals(stage.drain.view(), undefined);
  stage.arrive(3);
  stage.start();
  stage.start();
  await stage.clock.pass(2_000);
  stage.end();
  const view = stage.drain.view();
  assertEquals([view?.step, view?.elapsedMs, view?.forced], ["delay", 2_000, false]);
  assertEquals(view?.ledger?.remaining, 2);
  assertEquals(stage.log.filter((line) => line.msg === "shutdown begins").length, 1);
  stage.drain.force("SIGTERM");
  await stage.clock.pass(0);
  assertEquals(stage.drain.view()?.step, "done");
});
