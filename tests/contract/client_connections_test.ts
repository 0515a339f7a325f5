// Client contract, part two: connections come, go, and are waited for.
import { assertEquals, assertGreater, assertLess } from "@std/assert";
import { FakeControlPlane } from "../support/fake_control_plane.ts";
import { okReply } from "../support/fake_reply.ts";
import { TcpRelay } from "../support/tcp_relay.ts";
import { until } from "../support/until.ts";
import { ClientStage, summary } from "./client_stage.ts";
import { clientTest } from "./implementations.ts";

clientTest("warm waits for a server that comes late", async (connect) => {
  await using fake = await FakeControlPlane.start();
  await fake.down();
  await using stage = await ClientStage.open(connect, fake.address);
  let isWarm = false;
  const warm = stage.client.warm().then(() => isWarm = true);
  await until("a failed dial", () => stage.client.connections()[0]?.lastError);
  assertEquals(isWarm, false);
  await fake.up();
  await warm;
  assertEquals(stage.client.connections(), [{ address: fake.address, state: "ready" }]);
  await stage.client.warm();
});

clientTest("a call made while the first connection is being made waits for it", async (connect) => {
  await using fake = await FakeControlPlane.start();
  await using stage = await ClientStage.open(connect, fake.address);
  const attempt = stage.resume("s/a");
  assertEquals(attempt.startedCount, 0);
  assertEquals(summary(await attempt.answer()), "10.0.0.1");
  assertEquals(attempt.startedCount, 1);
});

clientTest(
  "a call that waits for a connection can be withdrawn, and is lost when none comes",
  async (connect) => {
    await using relay = new TcpRelay(() => 0);
    relay.mode = "mute";
    await using stage = await ClientStage.open(connect, relay.address);
    const [withdrawn, waiting] = [stage.resume("s/a"), stage.resume("s/b")];
    await until("a dial", () => relay.dialsMs.length > 0);
    assertEquals(withdrawn.withdraw(), true);
    assertEquals(withdrawn.withdraw(), false);
    assertEquals(summary(await waiting.answer()), "lost");
    assertEquals(waiting.withdraw(), false);
    assertEquals(withdrawn.answers, []);
    assertEquals([withdrawn.startedCount, waiting.startedCount], [0, 0]);
  },
);

clientTest(
  "the peer's limit of streams is kept: the next call waits, starts, or is withdrawn",
  async (connect) => {
    await using fake = await FakeControlPlane.start({ maxConcurrentStreams: 2 });
    fake.script("s/slow", { afterMs: 400, reply: okReply("10.0.0.2") });
    await using stage = await ClientStage.ready(connect, fake.address);
    const running = [stage.resume("s/slow"), stage.resume("s/slow")];
    const [next, back] = [stage.resume("s/next"), stage.resume("s/back")];
    await fake.asked("s/slow", 2);
    assertEquals(running.map(({ startedCount }) => startedCount), [1, 1]);
    assertEquals([next.startedCount, back.startedCount], [0, 0]);
    assertEquals(back.withdraw(), true);
    assertEquals(running[0]?.withdraw(), false);
    assertEquals(fake.of("s/next").length, 0);
    assertEquals(summary(await next.answer()), "10.0.0.1");
    for (const attempt of running) assertEquals(summary(await attempt.answer()), "10.0.0.2");
    assertEquals(back.answers, []);
    assertEquals(fake.of("s/back").length, 0);
    assertEquals(fake.accepted, 1);
  },
);

clientTest("B30: many calls use one connection", async (connect) => {
  await using fake = await FakeControlPlane.start();
  await using stage = await ClientStage.ready(connect, fake.address);
  for (let round = 0; round < 10; round++) {
    const answers = Array.from({ length: 100 }, (_, n) => stage.resume(`s/a${n}`).answer());
    for (const answer of await Promise.all(answers)) assertEquals(summary(answer), "10.0.0.1");
  }
  assertEquals(fake.calls.length, 1_000);
  assertEquals(fake.accepted, 1);
  assertEquals(fake.connections, 1);
});

clientTest(
  "after GOAWAY the call in progress finishes and the next one uses a new connection",
  async (connect) => {
    await using fake = await FakeControlPlane.start();
    fake.script("s/slow", { afterMs: 600, reply: okReply("10.0.0.5") });
    await using stage = await ClientStage.ready(connect, fake.address);
    const slow = stage.resume("s/slow");
    await fake.asked("s/slow");
    fake.leave();
    await fake.up();
    await until("a second connection", () => fake.accepted === 2);
    assertEquals(summary(await stage.untilAnswered("s/next")), "10.0.0.1");
    assertEquals((await fake.asked("s/next")).connection, 2);
    assertEquals(slow.answers.length, 0);
    assertEquals(summary(await slow.answer()), "10.0.0.5");
    await until("the old connection's end", () => fake.connections === 1);
  },
);

clientTest("calls in progress on a connection that dies are lost", async (connect) => {
  await using fake = await FakeControlPlane.start();
  fake.script("s/hang", { reply: { kind: "hang" } });
  await using relay = new TcpRelay(() => fake.port);
  await using stage = await ClientStage.ready(connect, relay.address);
  const attempts = Array.from({ length: 20 }, () => stage.resume("s/hang"));
  await fake.asked("s/hang", 20);
  relay.cut();
  for (const attempt of attempts) assertEquals(summary(await attempt.answer()), "lost");
  assertEquals(summary(await stage.untilAnswered("s/a")), "10.0.0.1");
});

clientTest(
  "B13: a control plane that was away for 3 s is found within 700 ms, without a storm",
  async (connect) => {
    await using fake = await FakeControlPlane.start();
    await using relay = new TcpRelay(() => fake.port);
    await using stage = await ClientStage.ready(connect, relay.address);
    await stage.resume("s/a").answer();
    relay.mode = "slam";
    relay.cut();
    const downMs = performance.now();
    await until("3 s of outage", () => performance.now() > downMs + 3_000);
    assertEquals(summary(await stage.resume("s/b").answer()), "lost");
    relay.mode = "pass";
    const upMs = performance.now();
    const answers = Array.from({ length: 20 }, (_, n) => stage.untilAnswered(`s/a${n}`));
    for (const answer of await Promise.all(answers)) assertEquals(summary(answer), "10.0.0.1");
    assertLess(performance.now() - upMs, 700);
    const dialsMs = relay.dialsMs.slice(1);
    assertGreater(dialsMs.length, 8);
    for (const [index, atMs] of dialsMs.entries()) {
      const eleventh = dialsMs[index + 10];
      // A few ms of room: the relay sees dials as the system hands them over.
      if (eleventh !== undefined) assertGreater(eleventh - atMs, 900);
    }
  },
);

clientTest("a refused connection is dialled again although nobody calls", async (connect) => {
  await using fake = await FakeControlPlane.start();
  await fake.down();
  await using stage = await ClientStage.open(connect, fake.address);
  assertEquals(summary(await stage.resume("s/a").answer()), "lost");
  await fake.up();
  await until("a connection", () => fake.connections === 1, 2_000);
  await until("ready", () => stage.client.connections()[0]?.state === "ready");
  assertEquals(summary(await stage.resume("s/a").answer()), "10.0.0.1");
});

clientTest(
  "a closed client does not dial again, whatever state it was closed in",
  async (connect) => {
    for (const mode of ["pass", "mute", "slam"] as const) {
      await using fake = await FakeControlPlane.start();
      await using relay = new TcpRelay(() => fake.port);
      relay.mode = mode;
      const stage = await ClientStage.open(connect, relay.address);
      const attempt = stage.resume("s/a");
      await until("a dial", () => relay.dialsMs.length > 0);
      if (mode === "slam") await attempt.answer();
      await stage[Symbol.asyncDispose]();
      const dials = relay.dialsMs.length;
      const closedMs = performance.now();
      await until("time for three more dials", () => performance.now() > closedMs + 800);
      assertEquals(relay.dialsMs.length, dials, mode);
      await until("no connection", () => fake.connections === 0);
    }
  },
);
