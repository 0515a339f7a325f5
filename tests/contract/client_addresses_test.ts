// Client contract, part five: what a name means, and which of its addresses takes a call.
import { assert, assertEquals, assertLess } from "@std/assert";
import { FakeControlPlane } from "../support/fake_control_plane.ts";
import { okReply, statusReply } from "../support/fake_reply.ts";
import { until } from "../support/until.ts";
import { ClientStage, summary } from "./client_stage.ts";
import { clientTest } from "./implementations.ts";

clientTest("addresses are used in turn, one connection each", async (connect) => {
  await using one = await FakeControlPlane.start({ otherwise: { reply: okReply("10.0.0.1") } });
  await using two = await FakeControlPlane.start({
    hostname: "127.0.0.2",
    port: one.port,
    otherwise: { reply: okReply("10.0.0.2") },
  });
  await using stage = await ClientStage.ready(connect, `api.test:${one.port}`, {
    resolve: (host) => {
      assertEquals(host, "api.test");
      return Promise.resolve(["127.0.0.1", "127.0.0.2", "127.0.0.1"]);
    },
  });
  await until("both", () => stage.client.connections().every(({ state }) => state === "ready"));
  for (let n = 0; n < 40; n++) await stage.resume(`s/a${n}`).answer();
  assertEquals([one.calls.length, two.calls.length], [20, 20]);
  assertEquals([one.accepted, two.accepted], [1, 1]);
  assertEquals(one.calls[0]?.headers[":authority"], `api.test:${one.port}`);
  assertEquals(
    stage.client.connections().map(({ address }) => address),
    [`127.0.0.1:${one.port}`, `127.0.0.2:${one.port}`],
  );
  await two.down();
  await until("one left", () => stage.client.connections()[1]?.state !== "ready");
  for (let n = 0; n < 10; n++) await stage.resume(`s/b${n}`).answer();
  assertEquals(one.calls.length, 30);
});

clientTest(
  "the name is asked for again when calls fail, and its new addresses are used",
  async (connect) => {
    await using one = await FakeControlPlane.start({ otherwise: { reply: okReply("10.0.0.1") } });
    await using two = await FakeControlPlane.start({
      hostname: "127.0.0.2",
      port: one.port,
      otherwise: { reply: okReply("10.0.0.2") },
    });
    let addresses = ["127.0.0.1"];
    await using stage = await ClientStage.ready(connect, `api.test:${one.port}`, {
      resolve: () => Promise.resolve(addresses),
    });
    assertEquals(summary(await stage.resume("s/a").answer()), "10.0.0.1");
    addresses = ["127.0.0.2"];
    one.script("s/b", { reply: { kind: "reset", code: 2 } });
    assertEquals(summary(await stage.resume("s/b").answer()), "lost");
    await until("the new address", () => two.connections === 1);
    await until("the old one's end", () => one.connections === 0);
    const before = one.calls.length;
    for (let n = 0; n < 10; n++) {
      assertEquals(summary(await stage.untilAnswered(`s/c${n}`)), "10.0.0.2");
    }
    assertEquals(one.calls.length, before);
  },
);

clientTest("a lost connection asks for the name again, without any call", async (connect) => {
  await using one = await FakeControlPlane.start();
  await using two = await FakeControlPlane.start({ hostname: "127.0.0.2", port: one.port });
  let addresses = ["127.0.0.1", "127.0.0.2"];
  await using stage = await ClientStage.ready(connect, `api.test:${one.port}`, {
    resolve: () => Promise.resolve(addresses),
  });
  await until("both", () => one.connections + two.connections === 2);
  addresses = ["127.0.0.2"];
  await one.down();
  await until("one address", () => stage.client.connections().length === 1);
  assertEquals(stage.client.connections()[0]?.state, "ready");
});

clientTest("close answers also the calls at an address that has left the name", async (connect) => {
  const hang = { reply: { kind: "hang" } } as const;
  await using one = await FakeControlPlane.start({ otherwise: hang });
  await using two = await FakeControlPlane.start({ hostname: "127.0.0.2", port: one.port });
  let addresses = ["127.0.0.1"];
  await using stage = await ClientStage.ready(connect, `api.test:${one.port}`, {
    resolve: () => Promise.resolve(addresses),
  });
  const old = stage.resume("s/old");
  await one.asked("s/old");
  addresses = ["127.0.0.2"];
  one.script("s/lost", { reply: { kind: "reset", code: 2 } });
  assertEquals(summary(await stage.resume("s/lost").answer()), "lost");
  await until("the new address", () => two.connections === 1);
  assertEquals([one.connections, old.answers.length], [1, 0]);
  await stage.client.close();
  assertEquals(old.answers.map(({ kind }) => kind), ["lost"]);
  await until("no connection", () => one.connections + two.connections === 0);
});

clientTest("a name that cannot be resolved is a loss until it can be", async (connect) => {
  await using fake = await FakeControlPlane.start();
  let isKnown = false;
  await using stage = await ClientStage.open(connect, `api.test:${fake.port}`, {
    resolve: () => isKnown ? Promise.resolve(["127.0.0.1"]) : Promise.reject(new Error("NXDOMAIN")),
  });
  assertEquals(summary(await stage.resume("s/a").answer()), "lost");
  const [view] = stage.client.connections();
  assert(view?.state === "down" || view?.state === "connecting");
  assert(view.lastError?.includes("NXDOMAIN"), view.lastError);
  isKnown = true;
  assertEquals(summary(await stage.untilAnswered("s/a")), "10.0.0.1");
});

clientTest("addresses stay in use while the name server is away", async (connect) => {
  await using fake = await FakeControlPlane.start();
  let isKnown = true;
  await using stage = await ClientStage.ready(connect, `api.test:${fake.port}`, {
    resolve: () => isKnown ? Promise.resolve(["127.0.0.1"]) : Promise.resolve([]),
  });
  isKnown = false;
  fake.script("s/a", { reply: { kind: "reset", code: 7 } }, { reply: statusReply(5, "gone") });
  assertEquals(summary(await stage.resume("s/a").answer()), "lost");
  assertEquals(summary(await stage.untilAnswered("s/a")), "5 gone");
  assertEquals(fake.accepted, 1);
});

clientTest("a literal IPv6 address is dialled and shown in brackets", async (connect) => {
  await using fake = await FakeControlPlane.start({ hostname: "::1" });
  const address = `[::1]:${fake.port}`;
  await using stage = await ClientStage.ready(connect, address);
  assertEquals(summary(await stage.resume("s/a").answer()), "10.0.0.1");
  assertEquals(stage.client.connections(), [{ address, state: "ready" }]);
});

clientTest("an address that is lost does not hold up the others' dials", async (connect) => {
  await using one = await FakeControlPlane.start();
  await using two = await FakeControlPlane.start({ hostname: "127.0.0.2", port: one.port });
  await using _stage = await ClientStage.ready(connect, `api.test:${one.port}`, {
    resolve: () => Promise.resolve(["127.0.0.1", "127.0.0.2"]),
  });
  await until("both", () => one.connections + two.connections === 2);
  const readyMs = performance.now();
  await until("connections worth their dials", () => performance.now() > readyMs + 1_100);
  await two.down();
  const downMs = performance.now();
  await until("some redials", () => performance.now() > downMs + 500);
  await one.down();
  await one.up();
  const upMs = performance.now();
  await until("the living one", () => one.connections === 1);
  assertLess(performance.now() - upMs, 400);
});
