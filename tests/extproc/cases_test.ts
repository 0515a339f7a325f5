// Cases that need more than one room: real engine, real service, a control plane that the test
// answers by hand.
import { assert, assertEquals } from "@std/assert";
import {
  type Answer,
  type AttemptSink,
  Code,
  type ControlPlane,
  createEngine,
  flightsMax,
  PARKING_DEFAULTS,
  type ResumeRequest,
} from "../../src/engine/mod.ts";
import { createExtProcService } from "../../src/extproc/service.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { field, requestHeaders } from "../wire/support/bytes.ts";
import { Watcher } from "./support/fake_engine.ts";
import { DOMAIN, FakeStream, hostOf } from "./support/fake_stream.ts";

interface Call {
  readonly request: ResumeRequest;
  readonly sink: AttemptSink;
}

class Router {
  readonly clock = new FakeClock();
  readonly watcher = new Watcher();
  readonly calls: Call[] = [];
  readonly #engine;
  readonly #service;

  constructor(max = PARKING_DEFAULTS.max) {
    const controlPlane: ControlPlane = {
      resume: (request, sink) => {
        sink.started();
        this.calls.push({ request, sink });
        return { withdraw: () => false };
      },
    };
    const { clock, watcher: observer } = this;
    this.#engine = createEngine({
      clock,
      observer,
      controlPlane,
      draw: () => 0,
      policy: { ...PARKING_DEFAULTS, max },
      flightsMax: flightsMax(1024),
      workerPort: 80,
    });
    const engine = this.#engine;
    this.#service = createExtProcService({
      engine,
      observer,
      clock,
      actorDomain: DOMAIN,
      routeMode: "authority",
    });
  }

  ask(host: string, headers: readonly (readonly [string, string])[] = []): FakeStream {
    const stream = new FakeStream();
    stream.openWith(this.#service.open);
    stream.ask(host, headers);
    return stream;
  }

  answer(call: number, answer: Answer): void {
    this.calls[call]!.sink.answered(answer);
  }

  close(): void {
    this.#engine.close();
  }
}

function ok(workerIp: string): Answer {
  const actor = { status: 2, workerIp, templateNamespace: "ns", templateName: "t" };
  return { kind: "ok", actor, resumed: true };
}

function status(code: number, message = ""): Answer {
  return { kind: "status", code, message };
}

Deno.test("B23: two requests and a body on one stream are one flight, one answer each, in order", () => {
  const router = new Router();
  const stream = router.ask(hostOf("a1"));
  stream.listener.message(field(4, field(1, "body")));
  stream.ask(hostOf("a1"));
  assertEquals([router.calls.length, stream.sent.length], [1, 0]);
  router.answer(0, ok("10.0.0.1"));
  assertEquals(stream.said, ["to 10.0.0.1:80", "requestBody", "to 10.0.0.1:80"]);
  assertEquals(router.watcher.records.map(({ verdict }) => verdict.role), ["leader", "joiner"]);
  assertEquals(router.watcher.warnings.length, 1);
  router.close();
});

Deno.test("B57: same id in two spaces, dashes that could be a border, names of object members", () => {
  const router = new Router();
  const pairs = [
    ["a", "s1"],
    ["a", "s2"],
    ["a-b", "c"],
    ["a", "b-c"],
    ["constructor", "s1"],
    ["tostring", "s1"],
    ["s1", "constructor"],
  ] as const;
  const streams = pairs.map(([id, space]) => router.ask(hostOf(id, space)));
  assertEquals(router.calls.map(({ request }) => [request.actor.actorId, request.actor.atespace]), [
    ...pairs.map(([id, space]) => [id, space]),
  ]);
  pairs.forEach((_, i) =>
    router.answer(pairs.length - 1 - i, ok(`10.0.0.${pairs.length - 1 - i}`))
  );
  assertEquals(streams.map(({ said }) => said), pairs.map((_, i) => [`to 10.0.0.${i}:80`]));
  const proto = router.ask(hostOf("__proto__"));
  assertEquals([proto.said[0]!.slice(0, 16), router.calls.length], [
    "404 invalid host",
    pairs.length,
  ]);
  router.close();
});

Deno.test("B58: valid forms of a host share one flight, invalid ones get 404 without a call", () => {
  const router = new Router();
  const host = hostOf("a1");
  const streams = [host, `${host}:8443`, `${host}.`, `${host}.:81`, host.toUpperCase()]
    .map((form) => router.ask(form));
  assertEquals(router.calls.length, 1);
  router.answer(0, ok("10.0.0.1"));
  for (const stream of streams) assertEquals(stream.said, ["to 10.0.0.1:80"]);
  for (const bad of ["", "x:y:z", "[::1]:80", `a..s.${DOMAIN}`, `a\tb.s.${DOMAIN}`]) {
    const stream = router.ask(bad);
    assertEquals(stream.answers[0]?.response.case, "immediateResponse");
    assert(stream.said[0]!.startsWith('404 invalid host "'), stream.said[0]);
  }
  assertEquals(router.calls.length, 1);
  assertEquals(router.watcher.outcomes.filter((word) => word === "invalid_host").length, 5);
  router.close();
});

Deno.test("B59: an address is taken only when it is a literal one that can be a worker", () => {
  const router = new Router();
  const bad = [
    "",
    "worker.local",
    "10.0.0.1:80",
    "10.0.0.1\r\nx: y",
    " 10.0.0.1",
    "0.0.0.0",
    "169.254.169.254",
    "fe80::1",
    "::ffff:169.254.169.254",
    "224.0.0.1",
  ];
  for (const [i, workerIp] of bad.entries()) {
    const stream = router.ask(hostOf(`a${i}`));
    router.answer(i, ok(workerIp));
    assertEquals(stream.said, [`500 actor a${i} routing failed`], JSON.stringify(workerIp));
  }
  const six = router.ask(hostOf("six"));
  router.answer(bad.length, ok("fd00::1"));
  assertEquals(six.said, ["to [fd00::1]:80"]);
  router.close();
});

Deno.test("B54: nothing secret of a request or an answer in records, replies and warnings", () => {
  const router = new Router();
  const headers = [
    ["authorization", "Bearer S2"],
    ["cookie", "session=S3"],
  ] as const;
  const streams: FakeStream[] = [];
  const send = (host: string) => {
    const stream = router.ask(host, [[":path", "/p?token=S1#S1"], ...headers]);
    streams.push(stream);
  };
  send(`user:S5@${hostOf("a1")}`);
  send(`S5@S5@${hostOf("a1")}`);
  send(hostOf("a2"));
  router.answer(0, status(Code.INTERNAL, "S4"));
  send(hostOf("a3"));
  router.answer(1, status(Code.PERMISSION_DENIED, "S4"));
  send(hostOf("a4"));
  router.answer(2, ok("S4"));
  const { records, bugs } = router.watcher;
  assertEquals(records.length, 5);
  const text = (bytes: Uint8Array) => new TextDecoder("latin1").decode(bytes);
  const seen = JSON.stringify([
    records,
    bugs,
    streams.map(({ sent }) => sent.map(text)),
    streams.map(({ ended }) => ended),
  ]);
  assert(!/S[1-6]/.test(seen), seen);
  assertEquals(streams[0]!.said, [
    `404 invalid host "***@${hostOf("a1")}": userinfo is not allowed`,
  ]);
  assertEquals(records.map(({ path }) => path), ["/p", "/p", "/p", "/p", "/p"]);
  router.close();
});

Deno.test("B71: every refusal has the status that gRPC callers expect, plain callers their own", () => {
  const table: [Answer, http: number, grpc: number][] = [
    [status(Code.NOT_FOUND), 404, Code.NOT_FOUND],
    [status(Code.DEADLINE_EXCEEDED), 504, Code.DEADLINE_EXCEEDED],
    [status(Code.PERMISSION_DENIED), 403, Code.PERMISSION_DENIED],
    [status(Code.UNAUTHENTICATED), 401, Code.UNAUTHENTICATED],
    [status(Code.RESOURCE_EXHAUSTED, "no free workers"), 503, Code.UNAVAILABLE],
    [status(Code.INTERNAL), 500, Code.INTERNAL],
  ];
  const router = new Router(0);
  table.forEach(([answer, http, grpc], i) => {
    const stream = router.ask(hostOf("a1"));
    router.answer(i, answer);
    const [reply] = stream.answers;
    if (reply?.response.case !== "immediateResponse") throw new TypeError("Cannot read as denied");
    const { status: said, grpcStatus } = reply.response.value;
    assertEquals([said?.code as number | undefined, grpcStatus?.status], [http, grpc]);
  });
  router.close();
});

Deno.test("B72: ResumeActor gets the stream's span, else the client's, and never a malformed one", () => {
  const good = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const router = new Router();
  router.ask(hostOf("a1"), [["traceparent", good], ["baggage", "b".repeat(8193)]]);
  router.ask(hostOf("a2"), [["traceparent", good.toUpperCase()], ["baggage", "b=1"]]);
  assertEquals(router.calls.map(({ request }) => request.trace), [
    { traceparent: good },
    undefined,
  ]);
  router.close();
});

Deno.test("B74: retry-after on the 503 of a shed request, not on a 404", () => {
  const router = new Router(1);
  router.ask(hostOf("a1"));
  const shed = router.ask(hostOf("a2"));
  const missing = router.ask("nobody");
  router.answer(0, status(Code.RESOURCE_EXHAUSTED, "no free workers"));
  router.answer(1, status(Code.RESOURCE_EXHAUSTED, "no free workers"));
  assertEquals(shed.said, ["503 actor a2 unavailable: router at capacity"]);
  const names = [shed, missing].map((stream) => {
    const [reply] = stream.answers;
    if (reply?.response.case !== "immediateResponse") throw new TypeError("Cannot read as denied");
    return reply.response.value.headers?.setHeaders.map(({ header }) => header?.key);
  });
  assertEquals(names, [["content-type", "retry-after"], ["content-type"]]);
  router.close();
});

Deno.test("parked and served: the wait is in the answer's metadata and in the record", () => {
  const router = new Router();
  const stream = router.ask(hostOf("a1"));
  router.answer(0, status(Code.RESOURCE_EXHAUSTED, "no free workers"));
  assertEquals(stream.sent.length, 0);
  router.clock.advance(100);
  router.answer(1, ok("10.0.0.1"));
  assertEquals(stream.answers[0]?.dynamicMetadata, {
    atenet: { outcome: "ok", park: "served", parked_ms: 100, attempts: 2 },
  });
  assertEquals(stream.said, ["to 10.0.0.1:80"]);
  router.close();
});

Deno.test("a client that leaves while parked is recorded as cancelled, its flight ends quietly", () => {
  const router = new Router();
  const stream = router.ask(hostOf("a1"));
  router.answer(0, status(Code.ABORTED, "busy"));
  router.clock.advance(30);
  stream.close();
  router.clock.advance(10_000);
  assertEquals([router.watcher.outcomes, router.calls.length], [["cancelled!"], 1]);
  assertEquals(router.watcher.records[0]?.verdict.park, "canceled");
  assertEquals(router.watcher.bugs, []);
  router.close();
});

Deno.test("headers a client sends never choose the worker", () => {
  const router = new Router();
  const stream = router.ask(hostOf("a1"), [
    ["x-envoy-original-dst-host", "10.6.6.6:80"],
    ["x-forwarded-host", "evil"],
    ["atenet", "10.6.6.6:80"],
  ]);
  stream.listener.message(requestHeaders([[":authority", "10.6.6.6:80"]]));
  router.answer(0, ok("10.0.0.1"));
  assertEquals(stream.said[0], "to 10.0.0.1:80");
  assert(stream.said[1]!.startsWith("404 "), stream.said[1]);
  router.close();
});
