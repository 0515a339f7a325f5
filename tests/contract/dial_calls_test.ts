// Contract of a dialled connection, part one: calls that run, wait, are taken back, and end.
import { assert, assertEquals } from "@std/assert";
import { FakeControlPlane } from "../support/fake_control_plane.ts";
import { okReply, statusReply } from "../support/fake_reply.ts";
import { until } from "../support/until.ts";
import { DialStage } from "./dial_stage.ts";
import { dialTest } from "./implementations.ts";

const HANG = { reply: { kind: "hang" } } as const;

dialTest("a call starts at once, is counted while it runs, and is answered once", async (dial) => {
  await using fake = await FakeControlPlane.start();
  await using stage = await DialStage.open(dial, fake.port);
  assertEquals([stage.connection.state, stage.load], ["open", [0, 0]]);
  const call = stage.call("a");
  assertEquals([call.startedCount, call.ends.length, stage.load], [1, 0, [1, 0]]);
  const end = await call.end();
  assert(end.kind === "ok" && end.message.length > 0);
  assertEquals(stage.load, [0, 0]);
  assertEquals(call.pending?.withdraw(), false);
  const { headers } = await fake.asked("s/a");
  assertEquals([headers[":authority"], headers[":path"], headers["grpc-timeout"]], [
    "api.test:443",
    "/ateapi.Control/ResumeActor",
    undefined,
  ]);
  fake.script("s/a", { reply: statusReply(5, "gone") });
  assertEquals(await stage.call("a").end(), { kind: "status", code: 5, message: "gone" });
  fake.script("s/a", { reply: { kind: "bytes", message: undefined } });
  assertEquals((await stage.call("a").end()).kind, "fault");
});

dialTest("calls above the peer's limit wait in order, and can be taken back", async (dial) => {
  await using fake = await FakeControlPlane.start({ maxConcurrentStreams: 2 });
  for (const slow of ["s/a", "s/b"]) {
    fake.script(slow, { afterMs: 200, reply: okReply("10.0.0.1") });
  }
  await using stage = await DialStage.open(dial, fake.port);
  assertEquals(stage.connection.streamsMax, 2);
  const calls = ["a", "b", "c", "d", "e"].map((name) => stage.call(name));
  assertEquals(stage.load, [2, 3]);
  assertEquals(calls.map(({ pending }, index) => index === 3 && pending?.withdraw()), [
    ...[false, false, false],
    true,
    false,
  ]);
  assertEquals([calls[3]?.pending?.withdraw(), stage.load], [false, [2, 2]]);
  assertEquals(calls[0]?.pending?.withdraw(), false, "it runs");
  for (const index of [0, 1, 2, 4]) assertEquals((await calls[index]?.end())?.kind, "ok");
  const started = stage.told.filter((one) => one.startsWith("started"));
  assertEquals(started, ["started a", "started b", "started c", "started e"]);
  assertEquals([calls[3]?.ends, fake.of("s/d").length, stage.load], [[], 0, [0, 0]]);
});

dialTest("a deadline is sent and kept, also while the call waits", async (dial) => {
  await using fake = await FakeControlPlane.start({ maxConcurrentStreams: 1 });
  fake.script("s/hang", HANG);
  await using stage = await DialStage.open(dial, fake.port);
  const running = stage.call("hang", { timeoutMs: 400 });
  const waiting = stage.call("late", { timeoutMs: 100 });
  assertEquals(await waiting.end(), { kind: "deadline" });
  assertEquals([waiting.startedCount, running.ends.length, stage.load], [0, 0, [1, 0]]);
  assertEquals(await running.end(), { kind: "deadline" });
  const call = await fake.asked("s/hang");
  assert(call.headers["grpc-timeout"], "no deadline was sent");
  await until("the server's word of it", () => call.canceled);
  assertEquals(fake.of("s/late").length, 0);
  assertEquals((await stage.call("next", { timeoutMs: 5_000 }).end()).kind, "ok");
});

dialTest("metadata is sent; what no header can hold is left out", async (dial) => {
  await using fake = await FakeControlPlane.start();
  await using stage = await DialStage.open(dial, fake.port);
  const call = stage.call("a", {
    metadata: [
      ["traceparent", "00-1-2-01"],
      ["x-twice", "one"],
      ["x-twice", "two"],
      ["x-empty", ""],
      ["Upper", "x"],
      ["x-umlaut", "ä"],
      ["x-line", "a\r\nx-evil: 1"],
      ["x y", "x"],
      [":path", "/evil"],
      ["grpc-timeout", "1n"],
      ["", "x"],
    ],
  });
  assertEquals((await call.end()).kind, "ok");
  const { headers } = await fake.asked("s/a");
  assertEquals([headers["traceparent"], headers["x-twice"]], ["00-1-2-01", "one, two"]);
  for (const name of ["upper", "x-umlaut", "x-line", "x-evil", "x y", "grpc-timeout", ""]) {
    assertEquals(headers[name], undefined, name);
  }
  assertEquals(headers[":path"], "/ateapi.Control/ResumeActor");
});

dialTest("a message above the limit is a fault", async (dial) => {
  await using fake = await FakeControlPlane.start();
  const message = new Uint8Array(5_000);
  fake.script("s/big", { reply: { kind: "bytes", message } });
  await using stage = await DialStage.open(dial, fake.port, { maxMessageBytes: 4_000 });
  assertEquals((await stage.call("big").end()).kind, "fault");
  assertEquals((await stage.call("a").end()).kind, "ok");
  await using wide = await DialStage.open(dial, fake.port);
  assertEquals((await wide.call("big").end()).kind, "ok");
  fake.script("s/big", { reply: { kind: "bytes", message: new Uint8Array(5 << 20) } });
  assertEquals((await wide.call("big").end()).kind, "fault", "4 MiB unless told otherwise");
});

dialTest("a sink that throws is a fault of ours and harms no other call", async (dial) => {
  await using fake = await FakeControlPlane.start();
  await using stage = await DialStage.open(dial, fake.port);
  const path = "/ateapi.Control/ListActors";
  stage.connection.call({ path, message: new Uint8Array() }, {
    started: () => {
      throw new Error("at the start");
    },
    answered: () => {
      throw new Error("at the end");
    },
  });
  const other = stage.call("a");
  assertEquals((await other.end()).kind, "ok");
  const faults = () => stage.told.filter((one) => one.startsWith("fault"));
  await until("both faults", () => faults().length === 2);
  assert(faults()[0]?.includes("at the start") && faults()[1]?.includes("at the end"));
  assertEquals([stage.connection.state, stage.load], ["open", [0, 0]]);
});
