// Scripted answers of single actors: in order, timed, repeated, taken away.
import { assertEquals } from "@std/assert";
import { ActorStatus, Code } from "../../src/engine/mod.ts";
import { poolWithLog as setUp } from "./pool_log.ts";

const a1 = { atespace: "demo", actorId: "a1" };

Deno.test("scripted steps are answered in order, then the pool decides", () => {
  const { clock, pool, log, resume } = setUp();
  pool.script(a1, [
    { kind: "status", code: Code.UNAVAILABLE, message: "away" },
    { kind: "status", code: Code.INTERNAL, delayMs: 20 },
    { kind: "ok", workerIp: "10.0.0.9", resumed: true, status: ActorStatus.CRASHED, delayMs: 5 },
    { kind: "reset", delayMs: 1 },
    { kind: "hang" },
    { kind: "pool", delayMs: 10 },
  ]);
  for (let i = 0; i < 7; i++) {
    resume("a1");
    clock.advance(20);
  }
  clock.advance(200);
  assertEquals(log, [
    "a1 UNAVAILABLE away @0",
    "a1 INTERNAL  @40",
    "a1 OK resumed 10.0.0.9 status 7 @45",
    "a1 reset @61",
    "a1 ABORTED another resume of this actor is in progress @120",
    "a1 OK resumed 127.0.0.1 @210",
  ]);
});

Deno.test("repeatLast goes on for ever; an empty script takes it away; unknown actors can be scripted", () => {
  const { pool, log, resume } = setUp();
  const ghost = { atespace: "x", actorId: "ghost" };
  pool.script(ghost, [
    { kind: "ok" },
    { kind: "status", code: Code.RESOURCE_EXHAUSTED, message: "full" },
  ], { repeatLast: true });
  for (let i = 0; i < 4; i++) resume("ghost", "x");
  pool.script(ghost, []);
  resume("ghost", "x");
  assertEquals(log, [
    "ghost OK running 127.0.0.1 @0",
    "ghost RESOURCE_EXHAUSTED full @0",
    "ghost RESOURCE_EXHAUSTED full @0",
    "ghost RESOURCE_EXHAUSTED full @0",
    "ghost NOT_FOUND actor does not exist @0",
  ]);
});
