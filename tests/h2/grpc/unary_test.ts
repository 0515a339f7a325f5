// Unary calls: what goes out, and what every kind of answer means.
import { assert, assertEquals } from "@std/assert";
import {
  block,
  concat,
  data,
  END_HEADERS,
  END_STREAM,
  headers,
  message,
  reset,
  text,
  windowUpdate,
} from "../_frames.ts";
import { settle } from "../_pipe.ts";
import { answer, ClientStage, refusal, RESPONSE } from "../_client_side.ts";

const ENDS = END_HEADERS | END_STREAM;

Deno.test("a call is HEADERS and one DATA with END_STREAM, in one write for many calls", async () => {
  await using stage = await ClientStage.open();
  stage.pipe.writes.length = 0;
  const calls = Array.from({ length: 30 }, () => stage.call("hi"));
  assert(calls.every((call) => call.startedCount === 1), "started before call returns");
  await settle();
  assertEquals(stage.pipe.writes.length, 1);
  assertEquals(stage.pipe.lines().slice(0, 3), ["HEADERS 1", "DATA 1 7 END", "HEADERS 3"]);
  assertEquals(stage.pipe.heard[1]?.payload, message("hi"));
  assertEquals(stage.side.active, 30);
});

Deno.test("what each answer means", async () => {
  const trailers = (status: string, ...more: [string, string][]) =>
    headers(1, block(["grpc-status", status], ...more), ENDS);
  const http = (status: string) => block([":status", status], ["content-type", "text/html"]);
  const rows: [why: string, sent: Uint8Array[], end: string][] = [
    ["one message and OK", [answer(1, "yes")], "ok yes"],
    ["in three chunks", [headers(1, RESPONSE), data(1, message("yes")), trailers("0")], "ok yes"],
    ["an empty message", [answer(1, "")], "ok "],
    ["a message in two frames", [
      headers(1, RESPONSE),
      data(1, message("abcdef").slice(0, 7)),
      data(1, message("abcdef").slice(7)),
      trailers("0"),
    ], "ok abcdef"],
    [
      "a status",
      [headers(1, RESPONSE), trailers("8", ["grpc-message", "no%20worker"])],
      "status 8 no worker",
    ],
    [
      "a status after a message",
      [headers(1, RESPONSE), data(1, message("x")), trailers("9")],
      "status 9 ",
    ],
    ["trailers-only", [refusal(1, 5, "not here")], "status 5 not here"],
    ["a status of an unknown number", [refusal(1, 77, "?")], "status 77 ?"],
    ["a status that is no number", [headers(1, RESPONSE), trailers("x")], "status 2 "],
    ["a status in an HTTP error", [
      headers(1, concat(http("503"), block(["grpc-status", "14"])), ENDS),
    ], "status 14 "],
    [
      "informational heads first",
      [headers(1, block([":status", "103"])), answer(1, "yes")],
      "ok yes",
    ],
    ["OK without a message", [headers(1, RESPONSE), trailers("0")], "fault OK with 0 messages"],
    ["OK with two messages", [
      headers(1, RESPONSE),
      data(1, concat(message("a"), message("b"))),
      trailers("0"),
    ], "fault OK with 2 messages"],
    [
      "no status",
      [headers(1, RESPONSE), headers(1, block(["a", "b"]), ENDS)],
      "fault response without a gRPC status",
    ],
    [
      "END_STREAM on DATA",
      [headers(1, RESPONSE), data(1, message("x"), END_STREAM)],
      "fault response without trailers",
    ],
    ["a head that is all", [headers(1, RESPONSE, ENDS)], "fault response without a gRPC status"],
    ["HTTP 503", [headers(1, http("503"), ENDS)], "lost http"],
    [
      "HTTP 503 with a body",
      [headers(1, http("503")), data(1, text("<p>"), END_STREAM)],
      "lost http",
    ],
    ["HTTP 502", [headers(1, http("502"), ENDS)], "lost http"],
    ["HTTP 404", [headers(1, http("404"), ENDS)], "fault HTTP 404 instead of a gRPC response"],
    ["HTTP 200 of something else", [headers(1, http("200"))], "fault response is not gRPC"],
    ["a message cut off", [
      headers(1, RESPONSE),
      data(1, message("abc").slice(0, 6)),
      trailers("0"),
    ], "fault response message cut off"],
    [
      "a compressed message",
      [headers(1, RESPONSE), data(1, message("x", 1))],
      "fault compressed response",
    ],
    [
      "no prefix of a message",
      [headers(1, RESPONSE), data(1, message("x", 9))],
      "fault malformed message prefix",
    ],
    ["reset", [reset(1, 2)], "lost reset"],
    ["reset by NO_ERROR", [reset(1, 0)], "lost reset"],
    [
      "reset in mid-answer",
      [headers(1, RESPONSE), data(1, message("x")), reset(1, 8)],
      "lost reset",
    ],
    ["refused", [reset(1, 7)], "lost refused unprocessed"],
    [
      "DATA before the head",
      [data(1, message("x"))],
      "fault malformed response: DATA before the response's head",
    ],
    [
      "a second head",
      [headers(1, RESPONSE), headers(1, block(["a", "b"]))],
      "fault malformed response: second head",
    ],
    [
      "a malformed head",
      [headers(1, block([":status", "200"], ["Upper", "x"]))],
      "fault malformed response: invalid field name",
    ],
    [
      "a head of a request",
      [headers(1, block([":path", "/"]))],
      "fault malformed response: response without :status",
    ],
    [
      "101",
      [headers(1, block([":status", "101"]))],
      "fault malformed response: informational head ends the stream",
    ],
    ["a body shorter than content-length", [
      headers(1, concat(RESPONSE, block(["content-length", "9"]))),
      trailers("0"),
    ], "fault malformed response: body shorter than content-length"],
  ];
  for (const [why, sent, end] of rows) {
    await using stage = await ClientStage.open();
    const call = stage.call();
    await stage.says(...sent);
    assertEquals(call.ends, [end], why);
    assertEquals(stage.side.active, 0, why);
    // The connection takes the next call.
    const next = stage.call();
    await stage.says(answer(3, "next"));
    assertEquals(next.ends, ["ok next"], why);
    assertEquals(call.ends.length, 1, why);
  }
});

Deno.test("a stream that the peer has not ended is reset when its call is over", async () => {
  const rows: [sent: Uint8Array, heard: string][] = [
    [headers(1, block([":status", "404"])), "RST_STREAM 1 code 8"],
    [headers(1, block([":status", "101"])), "RST_STREAM 1 code 1"],
    [concat(headers(1, RESPONSE), data(1, message("x", 1))), "RST_STREAM 1 code 8"],
  ];
  for (const [sent, heard] of rows) {
    await using stage = await ClientStage.open();
    stage.call();
    await settle();
    assertEquals(await stage.says(sent), [heard]);
    // What was under way for it is ignored.
    const late = [data(1, text("late")), headers(1, block(["grpc-status", "0"]), ENDS)];
    assertEquals(await stage.says(...late), []);
    assertEquals(stage.side.state, "open");
  }
});

Deno.test("the answer's bytes are those that came, also when the input is reused meanwhile", async () => {
  await using stage = await ClientStage.open();
  const calls = await stage.calls(3);
  await stage.says(
    concat(headers(1, RESPONSE), data(1, message("first one"))),
    concat(headers(3, RESPONSE), data(3, message("second, other"))),
    answer(5, "third"),
  );
  await stage.says(headers(3, block(["grpc-status", "0"]), ENDS));
  await stage.says(headers(1, block(["grpc-status", "0"]), ENDS));
  assertEquals(calls.map(({ ends }) => ends[0]), ["ok first one", "ok second, other", "ok third"]);
});

Deno.test("a request larger than the window goes out as it opens", async () => {
  await using stage = await ClientStage.open({}, [4, 10]);
  const call = stage.call("x".repeat(20));
  await settle();
  assertEquals(stage.pipe.lines(), ["HEADERS 1", "DATA 1 10"]);
  assertEquals(await stage.says(windowUpdate(1, 15)), ["DATA 1 15 END"]);
  await stage.says(answer(1, "done"));
  assertEquals(call.ends, ["ok done"]);
});

Deno.test("an answer before the request is out ends both", async () => {
  await using stage = await ClientStage.open({}, [4, 10]);
  const call = stage.call("x".repeat(20));
  await settle();
  assertEquals(await stage.says(refusal(1, 3, "too long")), ["RST_STREAM 1 code 8"]);
  assertEquals(call.ends, ["status 3 too long"]);
  assertEquals(stage.side.active, 0);
  assertEquals(stage.side.connection.send.queuedBytes, 0);
});

Deno.test("a response message over its limit is a fault, and skipped", async () => {
  await using stage = await ClientStage.open({ maxMessageBytes: 100 });
  const call = stage.call();
  await stage.says(headers(1, RESPONSE), data(1, message(new Uint8Array(101))));
  assertEquals(call.ends, ["fault response message over its limit"]);
  assertEquals(stage.pipe.lines().at(-1), "RST_STREAM 1 code 8");
});

Deno.test("a response head over the limits is a fault of that call only", async () => {
  await using stage = await ClientStage.open();
  const call = stage.call();
  const many = Array.from({ length: 1200 }, (): [string, string] => ["a", "b"]);
  const bytes = concat(RESPONSE, block(...many));
  await stage.says(headers(1, bytes));
  assertEquals(call.ends, ["fault malformed response: header list over its limit"]);
  assertEquals(stage.side.state, "open");
});

Deno.test("deadlines are sent and kept here; a started call is reset", async () => {
  await using stage = await ClientStage.open();
  const call = stage.call("x", { timeoutMs: 250 });
  await settle();
  const sent = new TextDecoder("latin1").decode(stage.pipe.heard[0]!.payload);
  assert(sent.includes("250m"));
  await stage.passes(249);
  assertEquals(call.ends, []);
  await stage.passes(1);
  assertEquals(call.ends, ["deadline"]);
  assertEquals(stage.pipe.lines().at(-1), "RST_STREAM 1 code 8");
  await stage.says(answer(1, "late"));
  assertEquals(call.ends, ["deadline"]);
});

Deno.test("an answer in time disarms the deadline", async () => {
  await using stage = await ClientStage.open();
  const call = stage.call("x", { timeoutMs: 1000 });
  await stage.says(answer(1, "yes"));
  await stage.passes(5000);
  assertEquals(call.ends, ["ok yes"]);
  assertEquals(stage.clock.armed, 0);
});

Deno.test("a sink that throws is a fault of ours and harms no other call", async () => {
  await using stage = await ClientStage.open();
  const bad = stage.call();
  bad.onEnd = () => {
    throw new Error("bug in the sink");
  };
  const good = stage.call();
  await stage.says(concat(answer(1, "a"), answer(3, "b")));
  assertEquals(good.ends, ["ok b"]);
  assertEquals(stage.told, ["fault: gRPC client call answered: Error: bug in the sink"]);
});

Deno.test("calls made from an answer leave with the output of that chunk", async () => {
  await using stage = await ClientStage.open();
  const calls = await stage.calls(3);
  stage.pipe.writes.length = 0;
  for (const call of calls) call.onEnd = () => stage.call("again");
  await stage.says(concat(answer(1, ""), answer(3, ""), answer(5, "")));
  assertEquals(stage.pipe.writes.length, 1);
  assertEquals(stage.side.active, 3);
});
