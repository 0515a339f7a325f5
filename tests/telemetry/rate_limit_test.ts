import { assertEquals } from "@std/assert";
import { RateLimit } from "../../src/telemetry/rate_limit.ts";
import { HandClock } from "../process/_clock.ts";

function limit(more: { burst?: number; windowMs?: number; kindsMax?: number } = {}) {
  const clock = new HandClock();
  const said: [string, number][] = [];
  const rate = new RateLimit<string>(clock, {
    burst: 2,
    windowMs: 1_000,
    kindsMax: 8,
    ...more,
    onLeftOut: (label, count) => said.push([label, count]),
  });
  return { clock, said, rate, take: (kind: string) => rate.take(kind, kind) };
}

Deno.test("the first of a window pass, the rest are counted and said when it ends", async () => {
  const { clock, said, take } = limit();
  assertEquals([take("a"), take("a"), take("a"), take("a")], [true, true, false, false]);
  await clock.pass(999);
  assertEquals(said, []);
  await clock.pass(1);
  assertEquals(said, [["a", 2]]);
  assertEquals(take("a"), true);
});

Deno.test("nothing is said about a window that left nothing out", async () => {
  const { clock, said, take } = limit();
  take("a");
  take("a");
  await clock.pass(5_000);
  assertEquals(said, []);
  assertEquals(clock.armed, 0);
});

Deno.test("kinds have windows of their own", async () => {
  const { clock, said, take } = limit({ burst: 1 });
  assertEquals([take("a"), take("b"), take("a"), take("b"), take("b")], [
    true,
    true,
    false,
    false,
    false,
  ]);
  await clock.pass(1_000);
  assertEquals(said, [["a", 1], ["b", 2]]);
});

Deno.test("windows that began at different times end at different times, one timer for all", async () => {
  const { clock, said, take } = limit({ burst: 1 });
  take("a");
  take("a");
  await clock.pass(600);
  take("b");
  take("b");
  assertEquals(clock.armed, 1);
  await clock.pass(400);
  assertEquals(said, [["a", 1]]);
  assertEquals(clock.armed, 1);
  await clock.pass(600);
  assertEquals(said, [["a", 1], ["b", 1]]);
  assertEquals(clock.armed, 0);
});

Deno.test("kinds above the maximum share one window: memory is bounded", async () => {
  const { clock, said, rate } = limit({ burst: 1, kindsMax: 3 });
  let passed = 0;
  for (let kind = 0; kind < 1_000; kind++) passed += Number(rate.take(`k${kind}`, "many"));
  assertEquals(passed, 4);
  await clock.pass(1_000);
  assertEquals(said, [["many", 996]]);
});

Deno.test("close says what was left out and leaves no timer", () => {
  const { clock, said, rate, take } = limit({ burst: 1 });
  take("a");
  take("a");
  rate.close();
  assertEquals(said, [["a", 1]]);
  assertEquals(clock.armed, 0);
});

Deno.test("a late timer does not stretch a window", () => {
  const { clock, said, take } = limit({ burst: 1 });
  take("a");
  take("a");
  clock.stall(3_000);
  assertEquals(take("a"), true);
  assertEquals(said, [["a", 1]]);
});
