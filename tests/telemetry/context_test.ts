// Where the trace context comes from, and what is sent on, in the real program.
import { assert, assertEquals } from "@std/assert";
import { okReply, statusReply } from "../support/fake_reply.ts";
import { until } from "../support/until.ts";
import { type OtlpReceiver, otlpReceiver } from "./_otlp.ts";
import { Program } from "./_program.ts";

const HEADER = "00-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-1111111111111111-01";
const METADATA = "00-bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb-2222222222222222-01";

interface Row {
  readonly name: string;
  readonly headers: Record<string, string>;
  readonly metadata?: Record<string, string>;
  /** The context that counts; undefined = none. */
  readonly parent: string | undefined;
  readonly sent?: Record<string, string | undefined>;
}

const ROWS: readonly Row[] = [
  { name: "headers", headers: { traceparent: HEADER }, parent: HEADER },
  { name: "metadata", headers: {}, metadata: { traceparent: METADATA }, parent: METADATA },
  {
    name: "both",
    headers: { traceparent: HEADER, tracestate: "h=1" },
    metadata: { traceparent: METADATA, tracestate: "m=1" },
    parent: METADATA,
    sent: { tracestate: "m=1" },
  },
  {
    name: "malformed-metadata",
    headers: { traceparent: HEADER },
    metadata: { traceparent: "00-zz-11-01" },
    parent: HEADER,
  },
  { name: "malformed", headers: { traceparent: "00-0-0-0" }, parent: undefined },
  {
    name: "zero",
    headers: { traceparent: `00-${"0".repeat(32)}-${"0".repeat(16)}-01` },
    parent: undefined,
  },
  {
    name: "baggage",
    headers: { traceparent: HEADER, baggage: `k=${"v".repeat(8_000)}` },
    parent: HEADER,
    sent: { baggage: `k=${"v".repeat(8_000)}` },
  },
  {
    name: "too-much-baggage",
    headers: { traceparent: HEADER, baggage: `k=${"v".repeat(8_200)}` },
    parent: HEADER,
    sent: { baggage: undefined },
  },
  { name: "nothing", headers: {}, parent: undefined },
];

function sentBy(program: Program, actor: string): Record<string, unknown> {
  const [call] = program.plane.of(`demo/${actor}`);
  assert(call, `no call for ${actor}`);
  return call.headers;
}

Deno.test("B72: tracing off: the context of the request goes on unchanged", async () => {
  await using program = await Program.start();
  for (const { name, headers, metadata, parent, sent = {} } of ROWS) {
    program.plane.script(`demo/${name}`, { reply: okReply("10.0.0.7") });
    await program.ask(name, headers, metadata);
    const got = sentBy(program, name);
    assertEquals(got.traceparent, parent, name);
    for (const [key, value] of Object.entries(sent)) {
      assertEquals(got[key], value, `${name} ${key}`);
    }
  }
});

Deno.test("B72: tracing on: spans join the context that counts and ResumeActor is their child", async () => {
  await using receiver = otlpReceiver();
  await using program = await Program.start({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_METRICS_EXPORTER: "none" },
  });
  for (const { name, headers, metadata } of ROWS) {
    program.plane.script(`demo/${name}`, { reply: okReply("10.0.0.7") });
    await program.ask(name, headers, metadata);
  }
  program.signal("SIGTERM");
  await program.exit;
  for (const { name, parent, sent = {} } of ROWS) {
    const spans = receiver.spans.filter((span) => span.attributes["atenet.actor"] === name);
    const request = spans.find((span) => span.name === "atenet.request");
    assert(request, `no span for ${name}`);
    if (parent !== undefined) {
      assertEquals([request.traceId, request.parentId], [
        parent.slice(3, 35),
        parent.slice(36, 52),
      ]);
    } else assertEquals(request.parentId, "", name);
    const got = sentBy(program, name);
    const attempt = attemptOf(receiver, request.traceId, String(got.traceparent));
    assert(attempt, `${name}: ${got.traceparent} is no span of the trace`);
    for (const [key, value] of Object.entries(sent)) {
      assertEquals(got[key], value, `${name} ${key}`);
    }
  }
});

function attemptOf(receiver: OtlpReceiver, traceId: string, traceparent: string) {
  return receiver.spans.find((span) =>
    span.name === "ateapi.Control/ResumeActor" &&
    traceparent === `00-${traceId}-${span.spanId}-01`
  );
}

Deno.test("B72: spans of retries and of a client that left all end", async () => {
  await using receiver = otlpReceiver();
  await using program = await Program.start({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_METRICS_EXPORTER: "none" },
  });
  const RX = { reply: statusReply(8, "no free workers available") };
  program.plane.script("demo/a", RX, RX, { reply: okReply("10.0.0.7") });
  await program.ask("a", { traceparent: HEADER });
  const attempts = program.plane.of("demo/a").map((call) => call.headers.traceparent);
  assertEquals(new Set(attempts).size, 3, "an attempt each");
  program.plane.script("demo/left", { reply: { kind: "hang" } });
  const stream = program.peer.open({ traceparent: METADATA });
  const { requestHeadersBytes } = await import("../support/ext_proc_messages.ts");
  stream.send(requestHeadersBytes([
    [":authority", "left.demo.actors.resources.substrate.ate.dev"],
    [":path", "/"],
  ]));
  await program.plane.asked("demo/left");
  stream.reset();
  const span = await until(
    "the span of the client that left",
    () => receiver.spans.find((one) => one.attributes["atenet.outcome"] === "cancelled"),
    20_000,
  );
  assertEquals(span.traceId, METADATA.slice(3, 35));
  assertEquals(receiver.spans.filter((one) => one.name === "ateapi.Control/ResumeActor").length, 3);
});

Deno.test("B72: a trace begun by the router has one id in log, document, span and ResumeActor", async () => {
  await using receiver = otlpReceiver();
  await using program = await Program.start({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_METRICS_EXPORTER: "none" },
  });
  const RX = { reply: statusReply(8, "no free workers available") };
  program.plane.script("demo/a", RX, { reply: okReply("10.0.0.7") });
  await program.ask("a");
  const { trace_id: logged } = await program.said("request parked and served");
  const { queries } = await program.status();
  program.signal("SIGTERM");
  await program.exit;
  const request = receiver.spans.find((span) => span.name === "atenet.request");
  const sent = String(sentBy(program, "a").traceparent).slice(3, 35);
  assertEquals([logged, queries[0]?.trace_id, sent], Array(3).fill(request?.traceId));
});
