// Who waits for the drain, on a fake clock: when each is answered, and what.
import { assertEquals } from "@std/assert";
import { DrainWaiters, WAITERS_MAX } from "../../src/admin/drain_wait.ts";
import { FakeClock } from "../support/fake_clock.ts";

const SUM_MS = 51_000;

class Stage {
  readonly clock = new FakeClock();
  readonly waiters = new DrainWaiters(this.clock, SUM_MS);
  /** `<who> @<ms> <answer>`. */
  readonly told: string[] = [];

  wait(who: string): void {
    const waiting = this.waiters.wait();
    if (waiting === undefined) this.#tell(who, "no place");
    else waiting.then((answer) => this.#tell(who, answer));
  }

  async pass(ms: number): Promise<void> {
    this.clock.advance(ms);
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  }

  #tell(who: string, answer: string): void {
    this.told.push(`${who} @${this.clock.now()} ${answer}`);
  }
}

Deno.test("no drain within 3 s of asking: not draining", async () => {
  const stage = new Stage();
  stage.wait("a");
  await stage.pass(1_000);
  stage.wait("b");
  await stage.pass(1_999);
  assertEquals(stage.told, []);
  await stage.pass(1);
  assertEquals(stage.told, ["a @3000 not draining"]);
  await stage.pass(1_000);
  assertEquals(stage.told, ["a @3000 not draining", "b @4000 not draining"]);
  assertEquals(stage.clock.armed, 0);
});

Deno.test("a drain that begins within the 3 s is waited for, to its end", async () => {
  const stage = new Stage();
  stage.wait("before");
  await stage.pass(2_999);
  stage.waiters.begin();
  stage.wait("after");
  await stage.pass(20_000);
  stage.wait("late");
  assertEquals(stage.told, []);
  stage.waiters.release();
  await stage.pass(0);
  assertEquals(stage.told, [
    "before @22999 drained",
    "after @22999 drained",
    "late @22999 drained",
  ]);
  stage.wait("at last");
  await stage.pass(0);
  assertEquals(stage.told.at(-1), "at last @22999 drained");
  assertEquals([stage.waiters.waiting, stage.clock.armed], [0, 0]);
});

Deno.test("nobody waits longer than the sum of the sequence, counted from its beginning", async () => {
  const stage = new Stage();
  stage.wait("early");
  await stage.pass(1_000);
  stage.waiters.begin();
  stage.waiters.begin();
  await stage.pass(50_000);
  stage.wait("late");
  await stage.pass(999);
  assertEquals(stage.told, []);
  await stage.pass(1);
  assertEquals(stage.told, ["early @52000 drained", "late @52000 drained"]);
  // Nothing is left to wait for, also for who comes now.
  stage.wait("later");
  await stage.pass(0);
  assertEquals(stage.told.at(-1), "later @52000 drained");
});

Deno.test("the places are bounded, and free again when somebody has been answered", async () => {
  const stage = new Stage();
  for (let n = 0; n < WAITERS_MAX; n++) stage.wait(`w${n}`);
  stage.wait("one too many");
  assertEquals(stage.told, ["one too many @0 no place"]);
  await stage.pass(3_000);
  assertEquals(stage.told.length, WAITERS_MAX + 1);
  stage.wait("next");
  assertEquals(stage.waiters.waiting, 1);
  stage.waiters.release();
  await stage.pass(0);
  assertEquals(stage.told.at(-1), "next @3000 drained");
});

Deno.test("a server that closes sends everybody away", async () => {
  const stage = new Stage();
  stage.wait("a");
  stage.waiters.dismiss();
  await stage.pass(0);
  assertEquals(stage.told, ["a @0 not draining"]);
  stage.waiters.begin();
  stage.wait("b");
  stage.waiters.release();
  stage.waiters.dismiss();
  await stage.pass(0);
  assertEquals(stage.told.at(-1), "b @0 drained");
  assertEquals(stage.clock.armed, 0);
});
