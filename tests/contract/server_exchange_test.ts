// Server contract, part one: exchanges on one stream.
import { assert, assertEquals, assertGreater, assertStringIncludes } from "@std/assert";
import { Code } from "../../src/engine/mod.ts";
import { framed } from "../support/grpc_peer.ts";
import { until } from "../support/until.ts";
import { bytesOf, echo, ServerStage, textOf } from "./server_stage.ts";
import { serverTest } from "./implementations.ts";

const PATH = "/pkg.Service/Method";

serverTest("a unary call: message, half-close, one answer, OK in trailers", async (serve) => {
  await using stage = await ServerStage.start(serve, { react: echo });
  const call = stage.peer().open(PATH);
  call.send(bytesOf("ping"));
  call.halfClose();
  assertEquals(textOf(await call.message()), "ping");
  assertEquals(await call.status(), { code: 0, message: "" });
  const { headers, trailersOnly } = call.heard;
  assertEquals(headers?.[":status"], 200);
  assert(String(headers?.["content-type"]).startsWith("application/grpc"));
  assertEquals(trailersOnly, false);
  const served = await stage.nth(1);
  await served.hears("closed");
  assertEquals(served.events, ["message:ping", "halfClosed", "closed"]);
  assertEquals(served.stream.path, PATH);
});

serverTest("a bidirectional stream carries several messages each way, in order", async (serve) => {
  await using stage = await ServerStage.start(serve, { react: echo });
  const call = stage.peer().open(PATH);
  for (let n = 1; n <= 5; n++) {
    call.send(bytesOf(`m${n}`));
    assertEquals(textOf(await call.message(n)), `m${n}`);
  }
  call.send(bytesOf("m6"), bytesOf("m7"), bytesOf(""));
  call.halfClose();
  assertEquals((await call.status())?.code, 0);
  assertEquals(call.heard.messages.slice(5).map(textOf), ["m6", "m7", ""]);
});

serverTest("messages may come byte by byte", async (serve) => {
  await using stage = await ServerStage.start(serve, { react: echo });
  const call = stage.peer().open(PATH);
  for (const byte of [...framed(bytesOf("slow")), ...framed(bytesOf("slower"))]) {
    call.write(Uint8Array.of(byte));
  }
  call.halfClose();
  assertEquals((await call.status())?.code, 0);
  assertEquals(call.heard.messages.map(textOf), ["slow", "slower"]);
});

serverTest("the peer's half-close does not end the stream before the answer", async (serve) => {
  await using stage = await ServerStage.start(serve);
  const peer = stage.peer();
  const call = peer.open(PATH);
  call.send(bytesOf("wait"));
  call.halfClose();
  const served = await stage.nth(1);
  await served.hears("halfClosed");
  await peer.ping();
  assertEquals(call.heard.rstCode, undefined);
  served.stream.send(bytesOf("late"));
  served.stream.end(Code.OK);
  assertEquals(textOf(await call.message()), "late");
  assertEquals((await call.status())?.code, 0);
});

serverTest(
  "a stream that was answered and ended needs no half-close of the peer",
  async (serve) => {
    await using stage = await ServerStage.start(serve, {
      react: (event, { stream }) => {
        if (!event.startsWith("message:")) return;
        stream.send(bytesOf("verdict"));
        stream.end(Code.OK);
      },
    });
    const call = stage.peer().open(PATH);
    call.send(bytesOf("head"));
    assertEquals(textOf(await call.message()), "verdict");
    await until("trailers", () => call.heard.trailers);
    assertEquals(call.heard.trailers?.["grpc-status"], "0");
    await (await stage.nth(1)).hears("closed");
  },
);

serverTest("response headers leave with the first message, not before", async (serve) => {
  await using stage = await ServerStage.start(serve);
  const peer = stage.peer();
  const [slow, quick] = [peer.open(PATH), peer.open(PATH)];
  for (const call of [slow, quick]) call.send(bytesOf("head"));
  await (await stage.nth(1)).hears("message:head");
  (await stage.nth(2)).stream.send(bytesOf("verdict"));
  await quick.message();
  await peer.ping();
  assertEquals(slow.heard.headers, undefined);
  (await stage.nth(1)).stream.send(bytesOf("verdict"));
  await slow.message();
  assertEquals(slow.heard.headers?.[":status"], 200);
});

serverTest("a status without a message is trailers-only; its text survives", async (serve) => {
  const texts = [
    "",
    "no free workers: 50% used",
    "zwölf Wörter ☂",
    "line\nline",
    "a%20b",
    "\ud800",
  ];
  await using stage = await ServerStage.start(serve);
  const peer = stage.peer();
  for (const [index, text] of texts.entries()) {
    const call = peer.open(PATH);
    const served = await stage.nth(index + 1);
    served.stream.end(index + 1, text);
    assertEquals(await call.status(), { code: index + 1, message: text.toWellFormed() });
    assertEquals(call.heard.trailersOnly, true);
    assertEquals(call.heard.messages.length, 0);
  }
});

serverTest("metadata is read by lower-case name", async (serve) => {
  await using stage = await ServerStage.start(serve);
  stage.peer().open(PATH, { traceparent: "00-a-b-01", baggage: "k=1,l=2", "x-empty": "" });
  const { stream } = await stage.nth(1);
  assertEquals(stream.metadata("traceparent"), "00-a-b-01");
  assertEquals(stream.metadata("baggage"), "k=1,l=2");
  assertEquals(stream.metadata("x-empty"), "");
  assertEquals(stream.metadata("tracestate"), undefined);
  assertEquals(stream.metadata(":path"), undefined);
});

serverTest("grpc-timeout is told in ms, and left to the service to keep", async (serve) => {
  const rows: [header: string | undefined, ms: number | undefined][] = [
    [undefined, undefined],
    ["1m", 1],
    ["250m", 250],
    ["5S", 5_000],
    ["2M", 120_000],
    ["1H", 3_600_000],
    ["1500u", 1.5],
    ["99999999H", 359_999_996_400_000],
    ["soon", undefined],
  ];
  await using stage = await ServerStage.start(serve);
  const peer = stage.peer();
  for (const [index, [header, ms]] of rows.entries()) {
    const startMs = performance.now();
    const call = peer.open(PATH, header === undefined ? {} : { "grpc-timeout": header });
    const { stream } = await stage.nth(index + 1);
    assertEquals(stream.timeoutMs, ms, header);
    await until("the first timeout's end", () => performance.now() > startMs + 20);
    stream.send(bytesOf("still here"));
    stream.end(Code.OK);
    assertEquals((await call.status())?.code, 0, header);
  }
});

serverTest("an unknown path is UNIMPLEMENTED", async (serve) => {
  await using stage = await ServerStage.start(serve, { onOpen: () => false });
  const call = stage.peer().open("/no.Such/Method");
  call.send(bytesOf("x"));
  call.halfClose();
  assertEquals((await call.status())?.code, Code.UNIMPLEMENTED);
  await until("no stream", () => stage.server.counts().streams === 0);
  assertEquals(stage.faults, []);
});

serverTest(
  "a throw ends its stream with INTERNAL, tells nobody why, and harms no other",
  async (serve) => {
    for (const where of ["open", "message:x", "halfClosed"]) {
      await using stage = await ServerStage.start(serve, {
        onOpen: (stream) => {
          if (where === "open" && stream.path === "/bad") throw new Error("secret of ours");
          return true;
        },
        react: (event, { stream }) => {
          if (event === where && stream.path === "/bad") throw new Error("secret of ours");
        },
      });
      const peer = stage.peer();
      const [good, bad] = [peer.open("/good"), peer.open("/bad")];
      for (const call of [good, bad]) {
        call.send(bytesOf("x"));
        call.halfClose();
      }
      const status = await bad.status();
      assertEquals(status?.code, Code.INTERNAL, where);
      assert(!status?.message.includes("secret"), where);
      assertStringIncludes(stage.faults.join(), "secret of ours");
      const served = stage.served.find(({ stream }) => stream.path === "/good");
      assert(served);
      await served.hears("halfClosed");
      served.stream.end(Code.NOT_FOUND, "fine");
      assertEquals((await good.status())?.code, Code.NOT_FOUND);
      assertGreater(stage.faults.length, 0);
    }
  },
);

serverTest("a throw out of closed() is a fault and nothing else", async (serve) => {
  await using stage = await ServerStage.start(serve, {
    react: (event) => {
      if (event === "closed") throw new Error("late bug");
    },
  });
  const peer = stage.peer();
  const call = peer.open(PATH);
  (await stage.nth(1)).stream.end(Code.OK);
  await call.status();
  await until("the fault", () => stage.faults.length === 1);
  await until("no stream", () => stage.server.counts().streams === 0);
  await peer.ping();
});

serverTest(
  "a message above the limit is skipped and told; the next one is heard",
  async (serve) => {
    const max = 10_000;
    await using stage = await ServerStage.start(serve, { maxMessageBytes: max });
    const call = stage.peer().open(PATH);
    call.send(new Uint8Array(max));
    call.send(new Uint8Array(max + 1));
    call.send(bytesOf("after"));
    call.send(new Uint8Array(5 * max), bytesOf("after that"));
    const served = await stage.nth(1);
    await served.hears("message:after that");
    assertEquals(served.events, [
      `message:${max} bytes`,
      "tooLarge",
      "message:after",
      "tooLarge",
      "message:after that",
    ]);
    served.stream.end(Code.OK);
    assertEquals((await call.status())?.code, 0);
  },
);
