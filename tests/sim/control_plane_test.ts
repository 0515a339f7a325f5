// The simulated control plane on the wire: a real server, a real client, real time. The pool's own
// behaviour is tested on a fake clock in pool_test.ts; here it is bytes, ends and restarts.
import { assert, assertEquals } from "@std/assert";
import { Code } from "../../src/engine/mod.ts";
import { Actor_Status } from "../../src/gen/ateapi/ateapi_pb.ts";
import { serve } from "../../src/grpcjs/server.ts";
import { monotonicClock } from "../../src/process/platform.ts";
import { pause } from "../../src/sim/pause.ts";
import { type Simulator, type SimulatorOptions, startSimulator } from "../../src/sim/simulator.ts";
import { AteapiClient } from "./ateapi_client.ts";

const clock = monotonicClock();
const a1 = { atespace: "demo", actorId: "a1" };

/** A simulator with 1 worker and 3 actors, and a client, for one test. */
function simTest(
  name: string,
  body: (simulator: Simulator, client: AteapiClient) => Promise<void>,
  options: Partial<SimulatorOptions> = {},
): void {
  Deno.test(name, async () => {
    const simulator = await startSimulator({ serve, clock, workers: 1, actors: 3, ...options });
    try {
      using client = new AteapiClient(simulator.address);
      await body(simulator, client);
    } finally {
      await simulator.stop();
    }
  });
}

/** Waits for what a real server does in its own time. */
async function eventually(what: string, holds: () => boolean): Promise<void> {
  for (const endMs = clock.now() + 10_000; !holds();) {
    assert(clock.now() < endMs, `waited 10 s for: ${what}`);
    await pause(clock, 5);
  }
}

simTest("ResumeActor carries the whole actor of the August layout", async (_, client) => {
  const { code, response } = await client.resume("a2").reply;
  assertEquals(code, Code.OK);
  assertEquals(response?.resumed, true);
  const { actor } = response ?? {};
  assertEquals([actor?.metadata?.atespace, actor?.metadata?.name], ["demo", "a2"]);
  assertEquals(actor?.status, Actor_Status.RUNNING);
  assertEquals(actor?.ateomPodIp, "127.0.0.1");
  assertEquals([actor?.actorTemplateNamespace, actor?.actorTemplateName], ["sim", "echo"]);
  const again = await client.resume("a2").reply;
  assertEquals(again.response?.resumed, false);
});

simTest("codes and messages of the pool arrive as they are", async (simulator, client) => {
  simulator.pool.script(a1, [{ kind: "status", code: 77, message: "ünknown % code" }]);
  await client.resume("a2").reply;
  const rows = [
    ["a3", Code.RESOURCE_EXHAUSTED, "no free workers available"],
    ["nobody", Code.NOT_FOUND, "actor does not exist"],
  ] as const;
  for (const [name, code, message] of rows) {
    assertEquals(await client.resume(name).reply, { code, message });
  }
  assertEquals((await client.resume("a1").reply).message, "ünknown % code");
});

simTest(
  "each call is logged with its times and what it carried",
  async ({ calls, pool }, client) => {
    pool.script(a1, [{ kind: "status", code: Code.ABORTED, delayMs: 30 }]);
    const headers = { traceparent: "00-1-2-01", authorization: "Bearer x" };
    await client.resume("a1", { headers, deadlineMs: 60_000 }).reply;
    await client.resume("a2").reply;
    const [first, second] = calls.all;
    assert(first !== undefined && second !== undefined);
    assertEquals(first.actor, a1);
    assertEquals([first.traceparent, first.authorization], ["00-1-2-01", "Bearer x"]);
    assertEquals([first.code, first.canceled], [Code.ABORTED, false]);
    assert((first.endMs ?? 0) - first.startMs >= 29);
    assert(first.deadlineMs !== undefined && first.deadlineMs > 50_000);
    assertEquals([second.traceparent, second.deadlineMs], [undefined, undefined]);
    assertEquals(calls.of(a1), [first]);
    assertEquals(calls.counts().byCode, new Map([[Code.ABORTED, 1], [Code.OK, 1]]));
  },
);

simTest("a call that its client cancels is logged as canceled; the resume goes on", async (
  { calls, pool },
  client,
) => {
  const call = client.resume("a1");
  await eventually("the call to arrive", () => calls.counts().open === 1);
  call.cancel();
  assertEquals((await call.reply).code, Code.CANCELLED);
  await eventually("the cancel to arrive", () => calls.counts().open === 0);
  assertEquals(calls.all[0]?.canceled, true);
  assertEquals(calls.counts().canceled, 1);
  await eventually("the resume to end", () => pool.view().running === 1);
}, { resumeDelayMs: 200 });

simTest(
  "a scripted reset ends the call without a status of ours",
  async ({ calls, pool }, client) => {
    pool.script(a1, [{ kind: "reset" }]);
    const { code } = await client.resume("a1").reply;
    assert(code !== Code.OK, `code ${code}`);
    assertEquals([calls.all[0]?.code, calls.all[0]?.canceled], [undefined, false]);
  },
);

simTest("probes are answered, other methods are not implemented, bad bytes are refused", async (
  { calls },
  client,
) => {
  const page = new Uint8Array([0x10, 1]);
  const rows: [path: string, bytes: Uint8Array, code: number][] = [
    ["/ateapi.Control/ListActors", page, Code.OK],
    ["/ateapi.Control/ListActors", new Uint8Array([0xff]), Code.INVALID_ARGUMENT],
    ["/ateapi.Control/ResumeActor", new Uint8Array([0x0a, 5, 1]), Code.INVALID_ARGUMENT],
    ["/ateapi.Control/SuspendActor", page, Code.UNIMPLEMENTED],
  ];
  for (const [path, bytes, code] of rows) {
    assertEquals((await client.call(path, bytes).reply).code, code, path);
  }
  assertEquals(calls.counts().total, 0, "only a ResumeActor that can be read counts");
});

simTest("a graceful restart answers what is in progress and keeps port and pool", async (
  simulator,
  client,
) => {
  const { address, calls, pool } = simulator;
  const slow = client.resume("a1");
  await eventually("the call to arrive", () => calls.counts().open === 1);
  await simulator.restart({ graceful: true });
  assertEquals((await slow.reply).code, Code.OK);
  assertEquals(simulator.address, address);
  await eventually("the client to be back", () => simulator.counts().connections === 0);
  using other = new AteapiClient(address);
  assertEquals((await other.resume("a1").reply).response?.resumed, false);
  assertEquals(pool.view().resumes, 1);
}, { resumeDelayMs: 300 });

simTest("a hard restart loses what is in progress, and that is no cancel", async (
  simulator,
  client,
) => {
  const { calls, pool } = simulator;
  pool.script(a1, [{ kind: "hang" }]);
  const hung = client.resume("a1");
  await eventually("the call to arrive", () => calls.counts().open === 1);
  await simulator.down({ graceful: false });
  const { code } = await hung.reply;
  assert(code === Code.UNAVAILABLE || code === Code.INTERNAL || code === Code.CANCELLED, `${code}`);
  assertEquals(calls.counts().open, 0);
  assertEquals(calls.all[0]?.canceled, false);
  assertEquals(simulator.counts(), { connections: 0, streams: 0 });
  await simulator.up();
  using other = new AteapiClient(simulator.address);
  assertEquals((await other.resume("a1").reply).code, Code.OK);
});

simTest("a graceful stop does not wait for ever", async (simulator, client) => {
  simulator.pool.script(a1, [{ kind: "hang" }]);
  const hung = client.resume("a1");
  await eventually("the call to arrive", () => simulator.calls.counts().open === 1);
  const startMs = clock.now();
  await simulator.down({ graceful: true, graceMs: 100 });
  assert(clock.now() - startMs < 5_000);
  assert((await hung.reply).code !== Code.OK);
});

simTest("calls beyond keepCallsMax are counted but not kept", async ({ calls }, client) => {
  for (let i = 0; i < 4; i++) await client.resume("nobody").reply;
  assertEquals(calls.all.length, 2);
  assertEquals(calls.counts().total, 4);
  assertEquals(calls.counts().byCode, new Map([[Code.NOT_FOUND, 4]]));
}, { keepCallsMax: 2 });
