// Contract of a dialled connection, part two: how it comes to be, and every way in which it ends.
import { assert, assertEquals, assertLess, assertRejects } from "@std/assert";
import http2 from "node:http2";
import { FakeControlPlane } from "../support/fake_control_plane.ts";
import { okReply } from "../support/fake_reply.ts";
import { TcpRelay } from "../support/tcp_relay.ts";
import { until } from "../support/until.ts";
import { dialOptions, DialStage } from "./dial_stage.ts";
import { dialTest } from "./implementations.ts";

const HANG = { reply: { kind: "hang" } } as const;
const SLOW = { afterMs: 300, reply: okReply("10.0.0.1") } as const;

dialTest("a port that refuses and one that says nothing are named, in time", async (dial) => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  const named = `Cannot connect as gRPC client: 127.0.0.1:${port}: `;
  await assertRejects(() => dial(dialOptions(port)), Error, named);
  await using relay = new TcpRelay(() => 0);
  relay.mode = "mute";
  const startMs = performance.now();
  const options = dialOptions(relay.port, { connectTimeoutMs: 200 });
  await assertRejects(() => dial(options), Error, `127.0.0.1:${relay.port}`);
  assertLess(performance.now() - startMs, 1_500);
  await until("nothing left open", () => relay.open === 0);
  assertEquals(relay.dialsMs.length, 1);
});

dialTest("an IPv6 address is dialled, and named in brackets", async (dial) => {
  await using fake = await FakeControlPlane.start({ hostname: "::1" });
  await using stage = await DialStage.open(dial, fake.port, { hostname: "::1" });
  assertEquals((await stage.call("a").end()).kind, "ok");
  await fake.down();
  const options = dialOptions(fake.port, { hostname: "::1" });
  await assertRejects(() => dial(options), Error, `[::1]:${fake.port}: `);
});

dialTest("drain lets running calls finish, gives the rest back, then closes", async (dial) => {
  await using fake = await FakeControlPlane.start({ maxConcurrentStreams: 1 });
  fake.script("s/slow", SLOW);
  await using stage = await DialStage.open(dial, fake.port);
  const [slow, waiting, back] = ["slow", "waiting", "back"].map((name) => stage.call(name));
  stage.connection.drain();
  assertEquals([stage.connection.state, waiting!.ends], ["draining", []], "not in this turn");
  assertEquals(back!.pending?.withdraw(), true);
  const late = stage.call("late");
  for (const call of [waiting!, late]) {
    assertEquals([(await call.end()).kind, call.startedCount], ["lost", 0]);
  }
  assertEquals((await slow!.end()).kind, "ok");
  await until("the end", () => stage.connection.state === "closed");
  await until("told", () => stage.told.at(-1) === "closed");
  assert(!stage.told.includes("draining"), "the owner knows that");
  assertEquals(back!.ends, []);
  await until("no connection", () => fake.connections === 0);
  assertEquals(fake.of("s/late").length + fake.of("s/waiting").length, 0);
});

dialTest("a drained connection without calls closes at once", async (dial) => {
  await using fake = await FakeControlPlane.start();
  await using stage = await DialStage.open(dial, fake.port);
  stage.connection.drain();
  stage.connection.drain();
  await until("the end", () => stage.told.join() === "closed");
  await until("no connection", () => fake.connections === 0);
});

dialTest("close answers everything as lost, once, and takes nothing more", async (dial) => {
  await using fake = await FakeControlPlane.start({ maxConcurrentStreams: 1 });
  fake.script("s/hang", HANG);
  await using stage = await DialStage.open(dial, fake.port);
  const calls = [stage.call("hang"), stage.call("waiting")];
  await fake.asked("s/hang");
  await Promise.all([stage.connection.close(), stage.connection.close()]);
  assertEquals([stage.connection.state, stage.load], ["closed", [0, 0]]);
  for (const call of calls) assertEquals((await call.end()).kind, "lost");
  const late = stage.call("late");
  assertEquals(late.ends, []);
  assertEquals((await late.end()).kind, "lost");
  assertEquals(stage.told.filter((one) => one === "closed").length, 1);
  stage.connection.drain();
  await until("no connection", () => fake.connections === 0);
});

dialTest("GOAWAY is told once; what runs goes on, what waits is given back", async (dial) => {
  await using fake = await FakeControlPlane.start({ maxConcurrentStreams: 1 });
  fake.script("s/slow", SLOW);
  await using stage = await DialStage.open(dial, fake.port);
  const [slow, waiting] = [stage.call("slow"), stage.call("waiting")];
  await fake.asked("s/slow");
  fake.leave();
  assertEquals((await waiting.end()).kind, "lost");
  assertEquals([stage.connection.state, waiting.startedCount, slow.ends], ["draining", 0, []]);
  assertEquals((await slow.end()).kind, "ok");
  await until("the end", () => stage.told.at(-1) === "closed");
  assertEquals(stage.connection.state, "closed");
  assertEquals(stage.told.indexOf("draining") < stage.told.indexOf("lost waiting, draining"), true);
});

dialTest("a connection that dies is no longer open when its calls are answered", async (dial) => {
  await using fake = await FakeControlPlane.start();
  fake.script("s/hang", HANG);
  await using relay = new TcpRelay(() => fake.port);
  await using stage = await DialStage.open(dial, relay.port);
  const calls = ["hang", "hang", "hang"].map((name) => stage.call(name));
  await fake.asked("s/hang", 3);
  relay.cut();
  for (const call of calls) assertEquals((await call.end()).kind, "lost");
  await until("the end", () => stage.told.includes("closed"));
  const [first] = stage.told.filter((one) => !one.startsWith("started"));
  assert(first === "draining" || first === "closed", stage.told.join("; "));
  const answers = stage.told.filter((one) => one.startsWith("lost"));
  assertEquals(answers.filter((one) => one.endsWith(", open")), []);
  assertEquals([stage.connection.state, stage.load], ["closed", [0, 0]]);
});

dialTest("calls that wait start when the peer allows more streams", async (dial) => {
  const sessions: http2.ServerHttp2Session[] = [];
  const streams: http2.ServerHttp2Stream[] = [];
  const server = http2.createServer({ settings: { maxConcurrentStreams: 1 } });
  server.on("session", (session) => sessions.push(session));
  server.on("stream", (stream) => {
    stream.on("error", () => {});
    streams.push(stream as http2.ServerHttp2Stream);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  {
    await using stage = await DialStage.open(dial, port);
    for (const name of ["a", "b", "c"]) stage.call(name);
    assertEquals(stage.load, [1, 2]);
    sessions[0]?.settings({ maxConcurrentStreams: 3 });
    await until("all three", () => streams.length === 3);
    assertEquals([stage.load, stage.connection.streamsMax], [[3, 0], 3]);
  }
  for (const session of sessions) session.destroy();
  await new Promise<void>((resolve) => server.close(() => resolve()));
});
