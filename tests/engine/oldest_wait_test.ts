// How long the oldest request has waited: what the end of a shutdown is judged by.
import { assertEquals } from "@std/assert";
import { ok, RX, Stage, status } from "../support/stage.ts";

Deno.test("the oldest wait counts from the arrival of whoever has waited longest", () => {
  const stage = new Stage({ plane: { a: ["hang"], b: ["hang"] } });
  assertEquals(stage.engine.oldestWaitMs(), 0);
  stage.ask("x", "a");
  assertEquals(stage.engine.oldestWaitMs(), 0);
  stage.clock.advance(100);
  stage.ask("y", "b");
  stage.clock.advance(30);
  assertEquals(stage.engine.oldestWaitMs(), 130);
});

Deno.test("the oldest wait falls to that of the next when the oldest goes, and to 0 with the last", () => {
  const stage = new Stage({ plane: { a: [{ ms: 300, answer: ok() }], b: ["hang"], c: ["hang"] } });
  stage.ask("served", "a");
  stage.clock.advanceTo(50);
  stage.ask("leaves", "b");
  stage.clock.advanceTo(120);
  stage.ask("last", "c");
  stage.clock.advanceTo(299);
  assertEquals(stage.engine.oldestWaitMs(), 299);
  stage.clock.advanceTo(300);
  assertEquals(stage.engine.oldestWaitMs(), 250, "the first was served");
  stage.leave("leaves");
  assertEquals(stage.engine.oldestWaitMs(), 180, "the second left");
  stage.leave("last");
  assertEquals(stage.engine.oldestWaitMs(), 0);
});

Deno.test("who was shed, denied or refused at once waits for nothing", () => {
  const stage = new Stage({
    policy: { max: 1 },
    flightsMax: 2,
    plane: { a: [{ ms: 0, answer: RX }], b: [{ ms: 0, answer: status(5) }] },
  });
  stage.ask("parked", "a");
  stage.clock.advance(40);
  stage.ask("shed", "a");
  stage.ask("denied", "b");
  stage.clock.advance(10);
  assertEquals(stage.verdicts.map((line) => line.split(" ")[0]), ["shed", "denied"]);
  assertEquals(stage.engine.oldestWaitMs(), 50, "the parked one");
  stage.leave("parked");
  assertEquals(stage.engine.oldestWaitMs(), 0);
});

Deno.test("fast requests that come and go never make the oldest wait long", () => {
  const stage = new Stage({ plane: { a: [{ ms: 5, answer: ok() }] } });
  for (let n = 0; n < 200; n++) {
    stage.ask(`r${n}`, "a");
    stage.clock.advance(3);
    assertEquals(stage.engine.oldestWaitMs() <= 6, true, `after request ${n}`);
  }
  assertEquals(stage.verdicts.length > 190, true);
});
