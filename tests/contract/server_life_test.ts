// Server contract, part two: how streams, connections and the server end.
import { assert, assertEquals, assertLess, assertRejects } from "@std/assert";
import { Code } from "../../src/engine/mod.ts";
import { GrpcPeer } from "../support/grpc_peer.ts";
import { until } from "../support/until.ts";
import { bytesOf, echo, ServerStage, textOf } from "./server_stage.ts";
import { serverTest } from "./implementations.ts";

const PATH = "/pkg.Service/Method";

async function refused(port: number): Promise<boolean> {
  try {
    (await Deno.connect({ port })).close();
    return false;
  } catch {
    return true;
  }
}

serverTest(
  "the peer's reset is heard as closed, once and last; later acts are ignored",
  async (serve) => {
    await using stage = await ServerStage.start(serve);
    const peer = stage.peer();
    const call = peer.open(PATH);
    call.send(bytesOf("x"));
    const served = await stage.nth(1);
    await served.hears("message:x");
    call.reset();
    await served.hears("closed");
    served.stream.send(bytesOf("late"));
    served.stream.end(Code.OK);
    served.stream.reset();
    await peer.ping();
    // node's client ends its side before it resets; a server may tell that or not.
    assertEquals(served.events.filter((event) => event !== "halfClosed"), ["message:x", "closed"]);
    assertEquals(stage.faults, []);
    assertEquals(stage.server.counts(), { connections: 1, streams: 0 });
  },
);

serverTest("a lost connection closes all its streams and no others", async (serve) => {
  await using stage = await ServerStage.start(serve);
  const [lost, kept] = [stage.peer(), stage.peer()];
  const streams = [lost.open("/lost"), lost.open("/lost"), kept.open("/kept")];
  for (const call of streams) call.send(bytesOf("x"));
  await until("three streams", () => stage.served.length === 3);
  lost.cut();
  await until("two closed", () => stage.server.counts().streams === 1);
  await until("one connection", () => stage.server.counts().connections === 1);
  for (const { stream, events } of stage.served) {
    assertEquals(events.includes("closed"), stream.path === "/lost");
  }
  const keptStream = stage.served.find(({ stream }) => stream.path === "/kept")?.stream;
  keptStream?.end(Code.OK);
  assertEquals((await streams[2]?.status())?.code, 0);
});

serverTest("acts after our own end are ignored; a second end changes nothing", async (serve) => {
  await using stage = await ServerStage.start(serve);
  const call = stage.peer().open(PATH);
  const { stream } = await stage.nth(1);
  stream.end(Code.ABORTED, "first");
  stream.end(Code.OK, "second");
  stream.send(bytesOf("late"));
  assertEquals(await call.status(), { code: Code.ABORTED, message: "first" });
  assertEquals(call.heard.messages.length, 0);
});

serverTest("reset() resets the stream and leaves the connection alone", async (serve) => {
  await using stage = await ServerStage.start(serve, {
    react: (event, { stream }) => {
      if (event === "message:die") stream.reset();
      else if (event.startsWith("message:")) stream.end(Code.OK);
    },
  });
  const peer = stage.peer();
  const [dying, other] = [peer.open(PATH), peer.open(PATH)];
  dying.send(bytesOf("die"));
  assertEquals(await dying.status(), undefined);
  await dying.end();
  assert(dying.heard.rstCode !== 0, "no RST_STREAM");
  await (await stage.nth(1)).hears("closed");
  other.send(bytesOf("live"));
  assertEquals((await other.status())?.code, 0);
});

serverTest("B24: answers that cross the peer's reset harm nothing", async (serve) => {
  await using stage = await ServerStage.start(serve, { maxConcurrentStreams: 1000 });
  // A new connection now and then: node's HTTP/2 server allows a connection so many resets.
  let peer = stage.peer();
  for (let round = 0; round < 40; round++) {
    if (round % 10 === 9) peer = stage.peer();
    const calls = Array.from({ length: 25 }, () => peer.open(PATH));
    for (const call of calls) call.send(bytesOf("x"));
    const last = (round + 1) * 25;
    await until(`round ${round}`, () => stage.served.length === last);
    for (const [index, call] of calls.entries()) {
      const { stream } = stage.served[last - 25 + index] ?? {};
      const answer = () => {
        stream?.send(bytesOf("verdict"));
        stream?.end(Code.OK);
      };
      // Before, in the same turn as, and after the reset that is on its way.
      if (index % 3 === 0) answer();
      call.reset();
      if (index % 3 === 1) answer();
      if (index % 3 === 2) queueMicrotask(answer);
    }
  }
  await until("no streams", () => stage.server.counts().streams === 0);
  for (const { events } of stage.served) {
    assertEquals(events.filter((event) => event === "closed").length, 1);
    assertEquals(events.at(-1), "closed");
  }
  assertEquals(stage.faults, []);
  await peer.ping();
  assertEquals(peer.heardGoAway, false);
});

serverTest("the limit of concurrent streams is announced", async (serve) => {
  await using stage = await ServerStage.start(serve, { maxConcurrentStreams: 2345 });
  assertEquals(await stage.peer().maxConcurrentStreams(), 2345);
});

serverTest("many streams are open at once on one connection", async (serve) => {
  await using stage = await ServerStage.start(serve, { maxConcurrentStreams: 1000, react: echo });
  const peer = stage.peer();
  const calls = Array.from({ length: 500 }, () => peer.open(PATH));
  await until("500 streams", () => stage.server.counts().streams === 500);
  for (const [index, call] of calls.entries()) {
    call.send(bytesOf(`m${index}`));
    call.halfClose();
  }
  for (const [index, call] of calls.entries()) {
    assertEquals((await call.status())?.code, 0);
    assertEquals(call.heard.messages.map(textOf), [`m${index}`]);
  }
  assertEquals(stage.server.counts().connections, 1);
});

serverTest("a peer may ping as it likes", async (serve) => {
  await using stage = await ServerStage.start(serve);
  const peer = stage.peer();
  const call = peer.open(PATH);
  for (let n = 0; n < 30; n++) await peer.ping();
  assertEquals(peer.heardGoAway, false);
  (await stage.nth(1)).stream.end(Code.OK);
  assertEquals((await call.status())?.code, 0);
});

serverTest("goAway lets streams in progress finish and takes no new connection", async (serve) => {
  await using stage = await ServerStage.start(serve);
  const peer = stage.peer();
  const call = peer.open(PATH);
  const { stream } = await stage.nth(1);
  stage.server.goAway();
  stage.server.goAway();
  await until("GOAWAY", () => peer.heardGoAway);
  await until("a closed door", () => refused(stage.server.port));
  stream.send(bytesOf("late"));
  stream.end(Code.OK);
  assertEquals(textOf(await call.message()), "late");
  assertEquals((await call.status())?.code, 0);
  call.halfClose();
  await until("the connection's end", () => stage.server.counts().connections === 0);
});

serverTest(
  "close resets what is open, tells the service, and is done within a second",
  async (serve) => {
    const stage = await ServerStage.start(serve);
    const peer = stage.peer();
    const call = peer.open(PATH);
    const served = await stage.nth(1);
    const startMs = performance.now();
    await Promise.all([stage.server.close(), stage.server.close()]);
    assertLess(performance.now() - startMs, 1_500);
    assertEquals(await call.status(), undefined);
    await served.hears("closed");
    assertEquals(stage.server.counts(), { connections: 0, streams: 0 });
    assert(await refused(stage.server.port));
    await stage[Symbol.asyncDispose]();
  },
);

serverTest("close does not wait for a peer that neither reads nor speaks", async (serve) => {
  const stage = await ServerStage.start(serve);
  const mute = await Deno.connect({ port: stage.server.port });
  await mute.write(bytesOf("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0"));
  await until("a connection", () => stage.server.counts().connections === 1);
  const startMs = performance.now();
  await stage.server.close();
  assertLess(performance.now() - startMs, 1_500);
  mute.close();
  await stage[Symbol.asyncDispose]();
});

serverTest("B51: an address that cannot be bound is named", async (serve) => {
  await using stage = await ServerStage.start(serve);
  const options = { maxConcurrentStreams: 1, maxMessageBytes: 1 };
  const { port } = stage.server;
  await assertRejects(
    () => serve({ ...options, hostname: "127.0.0.1", port }, () => undefined),
    Error,
    `127.0.0.1:${port}`,
  );
  await assertRejects(
    () => serve({ ...options, hostname: "192.0.2.1", port: 0 }, () => undefined),
    Error,
    "192.0.2.1:0",
  );
});

serverTest("B51: every literal form of address binds and serves", async (serve) => {
  const rows: [hostname: string, dial: string][] = [
    ["127.0.0.1", "127.0.0.1"],
    ["0.0.0.0", "127.0.0.1"],
    ["::1", "::1"],
    ["::", "::1"],
  ];
  for (const [hostname, dial] of rows) {
    const options = { hostname, port: 0, maxConcurrentStreams: 1, maxMessageBytes: 1 };
    const server = await serve(options, (stream) => {
      stream.end(Code.OK, "here");
      return { message() {}, tooLarge() {}, halfClosed() {}, closed() {} };
    });
    assertEquals(server.hostname, hostname);
    await using peer = new GrpcPeer(server.port, dial);
    assertEquals(await peer.open(PATH).status(), { code: 0, message: "here" });
    await server.close();
  }
});
