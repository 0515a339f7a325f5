import { assertEquals } from "@std/assert";
import { DEBUG_MS, DebugToggle } from "../../src/telemetry/debug_toggle.ts";
import { collectingLog } from "./_records.ts";

Deno.test("a signal turns debug on for 10 minutes", async () => {
  const { log, clock, objects } = collectingLog("info");
  const toggle = new DebugToggle(log, clock);
  toggle.toggle();
  assertEquals(log.level, "debug");
  await clock.pass(DEBUG_MS - 1);
  assertEquals(log.level, "debug");
  await clock.pass(1);
  assertEquals(log.level, "info");
  assertEquals(objects().map((line) => [line.msg, line.for_ms ?? line.why]), [
    ["debug logging on", 600_000],
    ["debug logging off", "time"],
  ]);
});

Deno.test("a second signal ends it early; the level before comes back, also a quieter one", async () => {
  const { log, clock, objects } = collectingLog("error");
  const toggle = new DebugToggle(log, clock);
  toggle.toggle();
  await clock.pass(1_000);
  toggle.toggle();
  assertEquals([log.level, clock.armed, objects().length], ["error", 0, 2]);
  toggle.toggle();
  assertEquals(log.level, "debug");
  toggle.close();
  assertEquals(clock.armed, 0);
});
