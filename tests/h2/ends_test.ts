// How connections end: after an error, gracefully in two steps, by the peer, and what lingers.
import { assert, assertEquals } from "@std/assert";
import { concat, data, frame, grpcHead, headers, message, reset, text } from "./_frames.ts";
import { settle } from "./_pipe.ts";
import { type React, ServerSide } from "./_server_side.ts";

const BAD = frame("PING", 0, 1, new Uint8Array(8));
/** The PING ACK of our graceful end. */
const SEEN = frame("PING", 1, 0, [2, 0, 0, 0, 0, 0, 0, 0]);

Deno.test("after an error the socket half-closes, what comes is discarded, then it closes", async () => {
  await using side = await ServerSide.ready();
  await side.opens(1);
  assertEquals(await side.says(BAD), ["GOAWAY last 1 code 1"]);
  assert(side.pipe.halfClosed);
  assert(!side.pipe.closed);
  assertEquals(side.served[0]!.events, ["closed"]);
  // Whatever comes now, in whatever amount, has no effect.
  for (let n = 0; n < 40; n++) {
    assertEquals(await side.says(new Uint8Array(16_000).fill(n), headers(3, grpcHead("/"))), []);
  }
  side.clock.advance(499);
  await settle();
  assert(!side.pipe.closed);
  side.clock.advance(1);
  await settle();
  assert(side.pipe.closed);
  assert(side.closed);
  assertEquals(side.clock.armed, 0);
});

Deno.test("the linger ends when the peer closes", async () => {
  await using side = await ServerSide.ready();
  await side.says(BAD);
  side.pipe.end();
  await settle();
  assert(side.closed);
  assertEquals(side.clock.armed, 0);
});

Deno.test("no end waits for a write", async () => {
  await using side = await ServerSide.ready();
  side.pipe.stall();
  await side.says(BAD);
  assert(!side.closed);
  side.clock.advance(500);
  await settle();
  assert(side.closed);
  side.pipe.flow();
});

Deno.test("the debug data of a GOAWAY names the fault", async () => {
  await using side = await ServerSide.ready();
  await side.says(BAD);
  const { payload } = side.pipe.heard.at(-1)!;
  assertEquals(new TextDecoder().decode(payload.slice(8)), "PING on a stream");
});

Deno.test("the peer's close ends all streams, with and without unread input", async () => {
  for (const last of [new Uint8Array(0), Uint8Array.of(0, 0, 9)]) {
    await using side = await ServerSide.ready();
    await side.opens(1, 3);
    if (last.length > 0) await side.says(last);
    side.pipe.end();
    await settle();
    assert(side.closed && side.pipe.closed);
    assertEquals(side.served.map(({ events }) => events), [["closed"], ["closed"]]);
    side.served[0]!.stream.send(text("late"));
    side.served[0]!.stream.end(0);
  }
});

Deno.test("a failed write ends the connection", async () => {
  await using side = await ServerSide.ready();
  await side.opens(1);
  side.pipe.breakWrites();
  side.served[0]!.stream.send(text("x"));
  await settle();
  assert(side.closed);
  assertEquals(side.served[0]!.events, ["closed"]);
});

Deno.test("two-step end: nothing is lost that the peer had under way", async () => {
  await using side = await ServerSide.ready();
  await side.opens(1);
  side.connection.leaving.begin();
  await settle();
  assertEquals(side.pipe.lines(), [`GOAWAY last ${2 ** 31 - 1} code 0`, "PING"]);
  side.forget();
  // Opened before the peer has heard: served like any other.
  await side.opens(3);
  assertEquals(side.served.length, 2);
  assertEquals(await side.says(SEEN), ["GOAWAY last 3 code 0"]);
  // Opened after the true last stream was named: ignored, with all that belongs to it.
  const late = [headers(5, grpcHead("/p.S/M")), data(5, message("x")), reset(5)];
  assertEquals(await side.says(...late), []);
  assertEquals(side.served.length, 2);
  side.forget();
  side.served[0]!.stream.end(0);
  await settle();
  assert(side.connection.open);
  side.served[1]!.stream.end(0);
  await settle();
  assertEquals(side.pipe.lines(), [
    "HEADERS 1 END",
    "RST_STREAM 1 code 0",
    "HEADERS 3 END",
    "RST_STREAM 3 code 0",
    "GOAWAY last 3 code 0",
  ]);
  assert(!side.connection.open);
});

Deno.test("a header block that comes after the end still feeds the table", async () => {
  await using side = await ServerSide.ready();
  await side.opens(1);
  side.connection.leaving.begin();
  await side.says(SEEN);
  // Undecodable: the two sides are out of step, whatever the stream.
  assertEquals(await side.says(headers(3, Uint8Array.of(0x80))), ["GOAWAY last 1 code 9"]);
});

Deno.test("two-step end without an answer to PING takes a second", async () => {
  await using side = await ServerSide.ready();
  await side.opens(1);
  side.connection.leaving.begin();
  side.connection.leaving.begin();
  side.clock.advance(999);
  await settle();
  assertEquals(side.pipe.lines().length, 2);
  side.clock.advance(1);
  await settle();
  assertEquals(side.pipe.lines().at(-1), "GOAWAY last 1 code 0");
  assertEquals(await side.says(SEEN), []);
});

Deno.test("two-step end of an idle connection closes it", async () => {
  await using side = await ServerSide.ready();
  side.connection.leaving.begin();
  await side.says(SEEN);
  assertEquals(side.pipe.lines().at(-1), "GOAWAY last 0 code 0");
  assert(!side.connection.open);
  side.pipe.end();
  await settle();
  assert(side.closed);
  assertEquals(side.clock.armed, 0);
});

Deno.test("late frames on a stream that we ended are no error", async () => {
  await using side = await ServerSide.ready();
  await side.opens(1);
  side.served[0]!.stream.end(5, "no");
  await settle();
  assertEquals(side.pipe.lines(), ["HEADERS 1 END", "RST_STREAM 1 code 0"]);
  const late = [
    data(1, message("late")),
    data(1, new Uint8Array(0), 1),
    headers(1, grpcHead("/"), 5),
    frame("WINDOW_UPDATE", 0, 1, [0, 0, 0, 1]),
    reset(1),
  ];
  assertEquals(await side.says(...late), []);
});

Deno.test("late DATA on a stream that the peer ended is its error, and harms no other", async () => {
  await using side = await ServerSide.ready();
  await side.opens(1, 3);
  await side.says(reset(1));
  assertEquals(await side.says(data(1, text("x"))), ["RST_STREAM 1 code 5"]);
  assertEquals(await side.says(data(1, text("x"))), [], "now it was reset here");
  assertEquals(side.served[1]!.events, []);
});

Deno.test("a service's reset is RST_STREAM(CANCEL)", async () => {
  await using side = await ServerSide.ready();
  await side.opens(1);
  side.served[0]!.stream.reset();
  await settle();
  assertEquals(side.pipe.lines(), ["RST_STREAM 1 code 8"]);
  assertEquals(side.served[0]!.events, ["closed"]);
});

Deno.test("who left is out before the next one in the same chunk comes in, and before its message", async () => {
  const heard: string[] = [];
  const react: React = (event, { stream }) => heard.push(`${event} ${stream.metadata("x-who")}`);
  await using side = await ServerSide.ready({ react });
  const head = (who: string) => grpcHead("/p.S/M", ["x-who", who]);
  await side.says(concat(
    headers(1, head("first")),
    headers(3, head("second")),
    reset(1),
    headers(5, head("third")),
    data(5, message("hello")),
    reset(3),
    data(5, message("again")),
  ));
  assertEquals(heard, [
    "closed first",
    "message hello third",
    "closed second",
    "message again third",
  ]);
  assertEquals(side.connection.streams.size, 1);
});

Deno.test("a connection that ends because one leaves takes no other of the same chunk", async () => {
  const react: React = (event) => {
    if (event === "closed") side.connection.gone("test");
  };
  await using side = await ServerSide.ready({ react });
  await side.says(concat(
    headers(1, grpcHead("/p.S/M")),
    reset(1),
    headers(3, grpcHead("/p.S/M")),
  ));
  assertEquals(side.served.map(({ events }) => events), [["closed"]]);
  assertEquals(side.connection.streams.size, 0);
});
