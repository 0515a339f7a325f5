import { assert, assertEquals } from "@std/assert";
import { formatLine, LEVELS } from "../../src/telemetry/log.ts";
import { collectingLog } from "./_records.ts";

Deno.test("a line is one JSON object: time, level, msg, then the fields", () => {
  const { log, lines } = collectingLog();
  log.info("ready", { port: 4040, bound: ["a:1", "b:2"] });
  assertEquals(
    lines[0],
    '{"time":"2026-11-30T12:00:00.000Z","level":"info","msg":"ready","port":4040,"bound":["a:1","b:2"]}',
  );
});

Deno.test("lines below the level are not written; the level can change", () => {
  for (const level of LEVELS) {
    const { log, objects } = collectingLog(level);
    for (const each of LEVELS) log[each](each);
    assertEquals(objects().map((line) => line.level), LEVELS.slice(LEVELS.indexOf(level)));
    assertEquals(log.level, level);
    log.setLevel("error");
    assertEquals([log.enabled("warn"), log.enabled("error")], [false, true]);
  }
});

Deno.test("fields never overwrite time, level and msg", () => {
  const line = JSON.parse(formatLine(0, "info", "real", { time: "x", level: "x", msg: "x" }));
  assertEquals(line, { time: "1970-01-01T00:00:00.000Z", level: "info", msg: "real" });
});

Deno.test("no text can forge a second line", () => {
  const { log, lines } = collectingLog();
  log.warn('x\n{"level":"error"}', { value: "a\r\nb", "key\n": "c" });
  assertEquals(lines.length, 1);
  assert(!lines[0]?.includes("\n"));
  assertEquals(JSON.parse(lines[0] ?? "").value, "a  b");
});

Deno.test("what JSON cannot print still leaves a line", () => {
  const hostile = {
    get boom(): string {
      throw new Error("no");
    },
  };
  const line = JSON.parse(formatLine(0, "warn", "m", hostile));
  assertEquals(line.fields, "not printable");
});

Deno.test("repeats beyond 10 in 10 s are counted in one line", async () => {
  const { log, objects, clock } = collectingLog();
  for (let count = 0; count < 25; count++) log.limited("warn", "stream reset", { count });
  log.limited("warn", "another kind");
  assertEquals(objects().length, 11);
  await clock.pass(10_000);
  assertEquals(objects().at(-1), {
    time: "2026-11-30T12:00:00.000Z",
    level: "warn",
    msg: "stream reset",
    left_out: 15,
  });
  assertEquals(objects().length, 12);
  assertEquals(clock.armed, 0);
});

Deno.test("request lines have room for 500 a second of one message", async () => {
  const { log, objects, clock } = collectingLog();
  for (let count = 0; count < 1_200; count++) log.request("info", "request shed");
  assertEquals(objects().length, 500);
  await clock.pass(1_000);
  assertEquals(objects().at(-1)?.left_out, 700);
});

Deno.test("repeats below the level are neither written nor counted", () => {
  const { log, lines, clock } = collectingLog("error");
  for (let count = 0; count < 25; count++) log.limited("warn", "m");
  assertEquals(lines, []);
  assertEquals(clock.armed, 0);
});

Deno.test("close says what was left out so far", () => {
  const { log, objects, clock } = collectingLog();
  for (let count = 0; count < 12; count++) log.limited("warn", "m");
  for (let count = 0; count < 501; count++) log.request("info", "r");
  log.close();
  assertEquals(objects().slice(-2).map((line) => [line.msg, line.left_out]), [["m", 2], ["r", 1]]);
  assertEquals(clock.armed, 0);
});
