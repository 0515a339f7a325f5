// Client contract, part one: what goes out, and what each way of ending a call means.
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { ActorStatus, Code } from "../../src/engine/mod.ts";
import { FakeControlPlane } from "../support/fake_control_plane.ts";
import { type FakeReply, okReply, statusReply } from "../support/fake_reply.ts";
import { until } from "../support/until.ts";
import { ClientStage, summary } from "./client_stage.ts";
import { clientTest } from "./implementations.ts";

const TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

clientTest("a resume asks for the actor and reads the answer", async (connect) => {
  await using fake = await FakeControlPlane.start();
  fake.script("space/a1", { reply: okReply("10.1.2.3") });
  fake.script("space/a2", {
    reply: { kind: "ok", ip: "", resumed: false, state: ActorStatus.SUSPENDING },
  });
  await using stage = await ClientStage.ready(connect, fake.address);
  const first = stage.resume("space/a1");
  assertEquals(await first.answer(), {
    kind: "ok",
    resumed: true,
    actor: {
      status: ActorStatus.RUNNING,
      workerIp: "10.1.2.3",
      templateNamespace: "ns",
      templateName: "tpl",
    },
  });
  assertEquals(first.startedCount, 1);
  const second = await stage.resume("space/a2").answer();
  assert(second.kind === "ok");
  assertEquals([second.resumed, second.actor.status], [false, ActorStatus.SUSPENDING]);
  const call = await fake.asked("space/a1");
  assertEquals(call.path, "/ateapi.Control/ResumeActor");
  assertEquals(call.boot, false);
  assertEquals(call.headers[":method"], "POST");
  assertEquals(call.headers["te"], "trailers");
  assertEquals(call.headers[":authority"], fake.address);
  assert(String(call.headers["content-type"]).startsWith("application/grpc"));
});

clientTest("no deadline and no credentials are sent; the trace context is", async (connect) => {
  await using fake = await FakeControlPlane.start();
  await using stage = await ClientStage.ready(connect, fake.address);
  await stage.resume("s/plain").answer();
  const baggage = `k=${"v".repeat(8_000)}`;
  const trace = { traceparent: TRACEPARENT, tracestate: "v=1,w=2", baggage };
  await stage.resume("s/traced", trace).answer();
  await stage.resume("s/parent", { traceparent: TRACEPARENT }).answer();
  const headers = async (actor: string) => (await fake.asked(actor)).headers;
  for (
    const absent of ["grpc-timeout", "authorization", "traceparent", "tracestate", "baggage"]
  ) {
    assertEquals((await headers("s/plain"))[absent], undefined, absent);
  }
  const traced = await headers("s/traced");
  assertEquals(traced["traceparent"], TRACEPARENT);
  assertEquals(traced["tracestate"], "v=1,w=2");
  assertEquals(traced["baggage"], baggage);
  assertEquals((await headers("s/parent"))["tracestate"], undefined);
});

clientTest(
  "every status the server sends is told with its code and words, details are not",
  async (connect) => {
    await using fake = await FakeControlPlane.start();
    await using stage = await ClientStage.ready(connect, fake.address);
    for (let code = 1; code <= 16; code++) {
      for (const afterHeaders of [false, true]) {
        const message = `words ${code}: 100% “sure”`;
        const details = btoa("secret details");
        fake.script("s/a", { reply: { kind: "status", code, message, details, afterHeaders } });
        const answer = await stage.resume("s/a").answer();
        assertEquals(answer, { kind: "status", code, message }, `${code} ${afterHeaders}`);
      }
    }
    fake.script("s/a", { reply: statusReply(4_711, "no such code") });
    assertEquals(summary(await stage.resume("s/a").answer()), "4711 no such code");
  },
);

clientTest(
  "B15: losses on the wire are lost, a real INTERNAL status is an answer",
  async (connect) => {
    await using fake = await FakeControlPlane.start();
    await using stage = await ClientStage.ready(connect, fake.address);
    const lost: [string, FakeReply][] = [
      ["RST_STREAM NO_ERROR", { kind: "reset", code: 0 }],
      ["RST_STREAM PROTOCOL_ERROR", { kind: "reset", code: 1 }],
      ["RST_STREAM INTERNAL_ERROR", { kind: "reset", code: 2 }],
      ["RST_STREAM REFUSED_STREAM", { kind: "reset", code: 7 }],
      ["RST_STREAM CANCEL", { kind: "reset", code: 8 }],
      ["RST_STREAM ENHANCE_YOUR_CALM", { kind: "reset", code: 11 }],
      ["GOAWAY below the call", { kind: "refusedByGoAway" }],
      ["a cut connection", { kind: "cut" }],
      ["HTTP 503 of something in between", { kind: "http", status: 503 }],
    ];
    for (const [what, reply] of lost) {
      fake.script("s/a", { reply }, { reply: okReply("10.0.0.9") });
      const attempt = stage.resume("s/a");
      assertEquals(summary(await attempt.answer()), "lost", what);
      assertEquals(attempt.startedCount, 1, what);
      assertEquals(summary(await stage.untilAnswered("s/a")), "10.0.0.9", what);
    }
    for (const afterHeaders of [false, true]) {
      const message = "Received RST_STREAM with code 2";
      fake.script("s/a", { reply: { kind: "status", code: 13, message, afterHeaders } });
      const answer = await stage.resume("s/a").answer();
      assertEquals(answer, { kind: "status", code: Code.INTERNAL, message });
    }
  },
);

clientTest("an answer that cannot be read is a fault", async (connect) => {
  await using fake = await FakeControlPlane.start();
  await using stage = await ClientStage.ready(connect, fake.address);
  const broken: [string, Uint8Array | undefined][] = [
    ["a truncated message", Uint8Array.of(0x0a, 0x20, 0x01)],
    ["not protobuf", new TextEncoder().encode("<html>")],
    ["OK without a message", undefined],
  ];
  for (const [what, message] of broken) {
    fake.script("s/a", { reply: { kind: "bytes", message } });
    assertEquals(summary(await stage.resume("s/a").answer()), "fault", what);
  }
  fake.script("s/a", { reply: { kind: "bytes", message: new Uint8Array() } });
  const empty = await stage.resume("s/a").answer();
  assert(empty.kind === "ok");
  assertEquals(empty.actor.status, ActorStatus.UNSPECIFIED);
});

clientTest("B05: a slow call is neither given a deadline nor canceled", async (connect) => {
  await using fake = await FakeControlPlane.start();
  fake.script("s/slow", { afterMs: 2_500, reply: okReply("10.0.0.2") });
  await using stage = await ClientStage.ready(connect, fake.address);
  const slow = stage.resume("s/slow");
  const call = await fake.asked("s/slow");
  assertEquals(slow.withdraw(), false);
  await stage.resume("s/other").answer();
  assertEquals(summary(await slow.answer()), "10.0.0.2");
  assertEquals(call.headers["grpc-timeout"], undefined);
  assertEquals(call.canceled, false);
});

clientTest("a refused connection is a loss, and was never started", async (connect) => {
  const fake = await FakeControlPlane.start();
  const { address } = fake;
  await fake.down();
  await using stage = await ClientStage.open(connect, address);
  const first = stage.resume("s/a");
  assertEquals(summary(await first.answer()), "lost");
  assertEquals(first.startedCount, 0);
  const second = stage.resume("s/a");
  assertEquals(second.answers.length, 0);
  assertEquals(summary(await second.answer()), "lost");
  const [view] = stage.client.connections();
  assertEquals(view?.address, address);
  assert(view?.state !== "ready");
  assert(view?.lastError, "no reason given");
});

clientTest("the probe lists one actor, with a deadline", async (connect) => {
  await using fake = await FakeControlPlane.start();
  await using stage = await ClientStage.ready(connect, fake.address);
  const probe = await stage.client.probe(5_000);
  assertEquals(probe.ok, true);
  assert(probe.tookMs >= 0);
  const call = fake.calls.find(({ path }) => path === "/ateapi.Control/ListActors");
  assertEquals(call?.pageSize, 1);
  assert(call?.headers["grpc-timeout"], "no deadline");
  fake.listReply = statusReply(Code.PERMISSION_DENIED, "secret words");
  const denied = await stage.client.probe(5_000);
  assert(!denied.ok);
  assertStringIncludes(denied.why, "PERMISSION_DENIED");
});

clientTest(
  "a probe that is not answered ends at its deadline and cancels only itself",
  async (connect) => {
    await using fake = await FakeControlPlane.start();
    fake.script("s/slow", { afterMs: 1_500, reply: okReply("10.0.0.3") });
    fake.listReply = { kind: "hang" };
    await using stage = await ClientStage.ready(connect, fake.address);
    const slow = stage.resume("s/slow");
    const probe = await stage.client.probe(200);
    assert(!probe.ok);
    assert(probe.tookMs >= 150 && probe.tookMs < 1_500, `${probe.tookMs} ms`);
    assertEquals(summary(await slow.answer()), "10.0.0.3");
  },
);

clientTest("a probe without a connection says so", async (connect) => {
  const fake = await FakeControlPlane.start();
  await fake.down();
  await using stage = await ClientStage.open(connect, fake.address);
  await stage.resume("s/a").answer();
  const probe = await stage.client.probe(5_000);
  assert(!probe.ok && probe.why !== "");
});

clientTest("close answers what is in progress as lost, and every later call", async (connect) => {
  await using fake = await FakeControlPlane.start();
  fake.script("s/hang", { reply: { kind: "hang" } });
  const stage = await ClientStage.ready(connect, fake.address);
  const hanging = [stage.resume("s/hang"), stage.resume("s/hang")];
  await fake.asked("s/hang", 2);
  await Promise.all([stage.client.close(), stage.client.close()]);
  for (const attempt of hanging) assertEquals(summary(await attempt.answer()), "lost");
  assertEquals(summary(await stage.resume("s/late").answer()), "lost");
  assertEquals(fake.of("s/late").length, 0);
  await until("no connection", () => fake.connections === 0);
  await stage[Symbol.asyncDispose]();
});

clientTest(
  "B72: a context that the control plane would refuse goes without its longest parts",
  async (connect) => {
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const context = { traceparent, tracestate: "k=1", baggage: `k=${"b".repeat(8_000)}` };
    const table: [listBytes: number | undefined, state: boolean, baggage: boolean][] = [
      [undefined, true, true],
      [8_192, true, false],
      [1_000, false, false],
    ];
    for (const [maxHeaderListSize, state, baggage] of table) {
      await using fake = await FakeControlPlane.start(
        maxHeaderListSize === undefined ? {} : { maxHeaderListSize },
      );
      await using stage = await ClientStage.ready(connect, fake.address);
      assertEquals((await stage.resume("s/a", context).answer()).kind, "ok");
      const { headers } = await fake.asked("s/a");
      assertEquals(
        [
          headers["traceparent"],
          headers["tracestate"] !== undefined,
          headers["baggage"] !== undefined,
        ],
        [traceparent, state, baggage],
        `${maxHeaderListSize} bytes`,
      );
    }
  },
);
