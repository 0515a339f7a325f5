import { assertEquals } from "@std/assert";
import {
  drainEnvoy,
  type EnvoyDrainAdmin,
  type EnvoyDrainResult,
} from "../../src/process/envoy_drain.ts";
import { Interrupt } from "../../src/process/wait.ts";
import { HandClock } from "./_clock.ts";

/** Connections and requests as functions of the time since the start; throwing = unreachable. */
interface Script {
  /** False = it refuses. */
  readonly fail?: (atMs: number) => boolean | void;
  readonly connections?: (atMs: number) => number | undefined | Promise<number>;
  readonly requests?: (atMs: number) => number | undefined;
}

class ScriptedEnvoy implements EnvoyDrainAdmin {
  readonly posts: number[] = [];
  polls = 0;
  readonly #clock: HandClock;
  readonly #script: Script;

  constructor(clock: HandClock, script: Script) {
    this.#clock = clock;
    this.#script = script;
  }

  async healthcheckFail(): Promise<boolean> {
    this.posts.push(this.#clock.now());
    return await (this.#script.fail?.(this.#clock.now()) ?? true);
  }

  async downstreamConnections(): Promise<number | undefined> {
    this.polls++;
    const { connections } = this.#script;
    return await (connections ? connections(this.#clock.now()) : 3);
  }

  async downstreamRequests(): Promise<number | undefined> {
    const { requests } = this.#script;
    return await (requests ? requests(this.#clock.now()) : 1);
  }
}

interface Run {
  readonly result: EnvoyDrainResult;
  readonly tookMs: number;
  readonly envoy: ScriptedEnvoy;
  readonly clock: HandClock;
}

async function run(script: Script, interruptAtMs?: number): Promise<Run> {
  const clock = new HandClock();
  const envoy = new ScriptedEnvoy(clock, script);
  const interrupt = new Interrupt();
  let tookMs = -1;
  const draining = drainEnvoy(envoy, clock, interrupt).then((result) => {
    tookMs = clock.now();
    return result;
  });
  if (interruptAtMs !== undefined) {
    await clock.pass(interruptAtMs);
    interrupt.raise();
  }
  await clock.pass(30_000);
  return { result: await draining, tookMs, envoy, clock };
}

function unreachable(): never {
  throw new Error("connection refused");
}

function afterMs<T>(ms: number, later: T, before: T): (atMs: number) => T {
  return (atMs) => atMs >= ms ? later : before;
}

Deno.test("the wait ends when the last connection has closed", async () => {
  const { result, tookMs, envoy, clock } = await run({ connections: afterMs(3_000, 0, 4) });
  assertEquals(result, { end: "no connections", connections: 0, requests: 1 });
  assertEquals([tookMs, envoy.posts.length, clock.armed], [3_000, 1, 0]);
});

Deno.test("idle connections do not hold it: 2 s without a request are enough", async () => {
  const { result, tookMs } = await run({ requests: afterMs(4_000, 0, 7) });
  assertEquals(result, { end: "no requests", connections: 3, requests: 0 });
  assertEquals(tookMs, 6_000);
});

Deno.test("a request in between starts the 2 s again", async () => {
  const requests = (atMs: number) => atMs === 2_000 ? 1 : 0;
  const { result, tookMs } = await run({ requests });
  assertEquals(result.end, "no requests");
  assertEquals(tookMs, 4_250);
});

Deno.test("it never takes longer than 15 s", async () => {
  const { result, tookMs } = await run({});
  assertEquals(result, { end: "timeout", connections: 3, requests: 1 });
  assertEquals(tookMs, 15_000);
});

Deno.test("Envoy that cannot be reached is gone, after one more try", async () => {
  const { result, tookMs, envoy } = await run({ fail: unreachable });
  assertEquals(result.end, "gone");
  assertEquals([tookMs, envoy.posts.length, envoy.polls], [250, 2, 0]);
});

Deno.test("Envoy that goes away during the wait is gone", async () => {
  const { result, tookMs } = await run({
    connections: (atMs) => atMs >= 2_000 ? unreachable() : 5,
  });
  assertEquals(result, { end: "gone", connections: 5, requests: 1 });
  assertEquals(tookMs, 2_250);
});

Deno.test("Envoy that answers without its gauges is not gone: the window is waited out", async () => {
  const hidden = () => undefined;
  const { result, tookMs } = await run({ connections: hidden, requests: hidden });
  assertEquals(result, { end: "no gauges", connections: undefined, requests: undefined });
  assertEquals(tookMs, 15_000);
});

Deno.test("gauges that appear, or one of the two, are enough", async () => {
  const hidden = () => undefined;
  const late = await run({
    connections: afterMs<number | undefined>(5_000, 0, undefined),
    requests: hidden,
  });
  assertEquals([late.result.end, late.tookMs], ["no connections", 5_000]);
  const requests = await run({ connections: hidden, requests: () => 0 });
  assertEquals([requests.result.end, requests.tookMs], ["no requests", 2_250]);
});

Deno.test("Envoy that refuses to fail its health check is watched all the same, and it is said", async () => {
  const { result, tookMs, envoy } = await run({ fail: () => false, requests: () => 0 });
  assertEquals(result, { end: "no requests", connections: 3, requests: 0, refused: true });
  assertEquals([tookMs, envoy.posts.length], [2_250, 1]);
});

Deno.test("one failed call is a hiccup: the health check is failed again, polls go on", async () => {
  const fail = (atMs: number) => atMs === 0 ? unreachable() : undefined;
  const connections = (atMs: number) => {
    if (atMs === 1_000) unreachable();
    return atMs >= 2_000 ? 0 : 2;
  };
  const { result, envoy } = await run({ fail, connections });
  assertEquals(result.end, "no connections");
  assertEquals(envoy.posts, [0, 250]);
});

Deno.test("an admin interface that hangs is gone after two bounded calls", async () => {
  const { result, tookMs } = await run({ connections: () => new Promise<number>(() => {}) });
  assertEquals(result.end, "gone");
  assertEquals(tookMs, 250 + 2_000 + 250 + 2_000);
});

Deno.test("a second signal ends the wait at once, also in the middle of a call", async () => {
  const idle = await run({}, 1_100);
  assertEquals([idle.result.end, idle.tookMs], ["interrupted", 1_100]);
  const hanging = await run({ connections: () => new Promise<number>(() => {}) }, 900);
  assertEquals([hanging.result.end, hanging.tookMs], ["interrupted", 900]);
});
