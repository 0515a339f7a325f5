// What breaks a rule of HTTP/2 ends the connection or the stream, with the code of RFC 9113; the
// rows are frames that a client sends after a good beginning.
import { assert, assertEquals } from "@std/assert";
import {
  block,
  concat,
  data,
  END_HEADERS,
  END_STREAM,
  frame,
  grpcHead,
  headers,
  PADDED,
  PREFACE,
  PRIORITY,
  reset,
  settings,
  settingsAck,
  text,
  u32,
  windowUpdate,
} from "./_frames.ts";
import { settle } from "./_pipe.ts";
import { ServerSide } from "./_server_side.ts";

const PROTOCOL = 1;
const FLOW = 3;
const CLOSED = 5;
const SIZE = 6;
const COMPRESSION = 9;

const HEAD = grpcHead("/p.S/M");
const open = headers(1, HEAD);
/** A whole request; the service ends it when the peer half-closes. */
const whole = headers(1, HEAD, END_HEADERS | END_STREAM);

Deno.test("violations that end the connection", async () => {
  const rows: [why: string, sent: Uint8Array[], code: number][] = [
    ["a frame above 16384 bytes", [frame("DATA", 0, 1, new Uint8Array(16_385))], SIZE],
    ["DATA on stream 0", [data(0, text("x"))], PROTOCOL],
    ["DATA on an idle stream", [data(1, text("x"))], PROTOCOL],
    ["DATA on an even stream", [data(2, text("x"))], PROTOCOL],
    ["DATA with too much padding", [open, data(1, Uint8Array.of(5, 1, 2), PADDED)], PROTOCOL],
    ["DATA that is padding throughout", [open, data(1, Uint8Array.of(3, 1, 2), PADDED)], PROTOCOL],
    ["padded DATA without a length", [open, data(1, Uint8Array.of(), PADDED)], PROTOCOL],
    ["HEADERS on stream 0", [headers(0, HEAD)], PROTOCOL],
    ["HEADERS on an even stream", [headers(2, HEAD)], PROTOCOL],
    ["HEADERS with too much padding", [
      headers(1, concat([200], HEAD.slice(0, 20)), END_HEADERS | PADDED),
    ], PROTOCOL],
    ["padded HEADERS without a length", [
      headers(1, Uint8Array.of(), END_HEADERS | PADDED),
    ], SIZE],
    ["HEADERS too short for a priority", [
      headers(1, Uint8Array.of(0, 0), END_HEADERS | PRIORITY),
    ], SIZE],
    ["a stream below the last", [headers(5, HEAD), headers(3, HEAD)], PROTOCOL],
    ["HEADERS on a closed stream", [whole, headers(1, HEAD)], CLOSED],
    ["an undecodable block", [headers(1, Uint8Array.of(0x80))], COMPRESSION],
    ["undecodable trailers", [
      open,
      headers(1, Uint8Array.of(0xff), END_HEADERS | END_STREAM),
    ], COMPRESSION],
    ["CONTINUATION without HEADERS", [frame("CONTINUATION", END_HEADERS, 1, HEAD)], PROTOCOL],
    ["CONTINUATION of another stream", [
      headers(1, HEAD, 0),
      frame("CONTINUATION", END_HEADERS, 3),
    ], PROTOCOL],
    ["a header block interrupted", [headers(1, HEAD, 0), windowUpdate(0, 1)], PROTOCOL],
    ["a header block interrupted by an unknown type", [headers(1, HEAD, 0), frame(99, 0, 1)], 1],
    ["PRIORITY on stream 0", [frame("PRIORITY", 0, 0, [0, 0, 0, 1, 0])], PROTOCOL],
    ["PRIORITY of another length on an idle stream", [frame("PRIORITY", 0, 1, [0])], SIZE],
    ["PRIORITY of an idle stream on itself", [frame("PRIORITY", 0, 1, [0, 0, 0, 1, 0])], PROTOCOL],
    ["RST_STREAM on stream 0", [reset(0)], PROTOCOL],
    ["RST_STREAM on an idle stream", [reset(1)], PROTOCOL],
    ["RST_STREAM of another length", [open, frame("RST_STREAM", 0, 1, [0, 0, 8])], SIZE],
    ["SETTINGS on a stream", [frame("SETTINGS", 0, 1)], PROTOCOL],
    ["SETTINGS of another length", [frame("SETTINGS", 0, 0, [0, 3, 0, 0, 0])], SIZE],
    ["SETTINGS ACK with a payload", [frame("SETTINGS", 1, 0, [0, 0, 0, 0, 0, 0])], SIZE],
    ["ENABLE_PUSH of 2", [settings([2, 2])], PROTOCOL],
    ["INITIAL_WINDOW_SIZE above 2^31-1", [settings([4, 2 ** 31])], FLOW],
    ["MAX_FRAME_SIZE below 16384", [settings([5, 16_383])], PROTOCOL],
    ["PUSH_PROMISE", [open, frame("PUSH_PROMISE", END_HEADERS, 1, concat(u32(2), HEAD))], PROTOCOL],
    ["PING on a stream", [frame("PING", 0, 1, new Uint8Array(8))], PROTOCOL],
    ["PING of another length", [frame("PING", 0, 0, new Uint8Array(7))], SIZE],
    ["GOAWAY on a stream", [frame("GOAWAY", 0, 1, new Uint8Array(8))], PROTOCOL],
    ["GOAWAY too short", [frame("GOAWAY", 0, 0, new Uint8Array(7))], SIZE],
    ["WINDOW_UPDATE of another length", [frame("WINDOW_UPDATE", 0, 0, [0, 0, 1])], SIZE],
    ["WINDOW_UPDATE of 0 on the connection", [windowUpdate(0, 0)], PROTOCOL],
    ["WINDOW_UPDATE on an idle stream", [windowUpdate(1, 1)], PROTOCOL],
    ["the connection's window above 2^31-1", [windowUpdate(0, 2 ** 31 - 1)], FLOW],
    ["a stream's window above 2^31-1 by SETTINGS", [
      open,
      windowUpdate(1, 2 ** 31 - 1 - 65_535),
      settings([4, 65_536]),
    ], FLOW],
  ];
  for (const [why, sent, code] of rows) {
    await using side = await ServerSide.ready({ react: endWhenAsked });
    const heard = await side.says(...sent);
    const last = heard.at(-1) ?? "";
    assert(last.startsWith("GOAWAY") && last.endsWith(` code ${code}`), `${why}: ${heard}`);
    assert(!side.connection.open, why);
    assertEquals(side.connection.streams.size, 0, why);
    for (const { events } of side.served) assertEquals(events.at(-1), "closed", why);
  }
});

Deno.test("violations that end their stream only", async () => {
  const rows: [why: string, sent: Uint8Array[], code: number][] = [
    ["WINDOW_UPDATE of 0", [open, windowUpdate(1, 0)], PROTOCOL],
    ["a window above 2^31-1", [open, windowUpdate(1, 2 ** 31 - 1)], FLOW],
    ["a head that depends on itself", [
      headers(1, concat(u32(1), [0], HEAD), END_HEADERS | PRIORITY),
    ], PROTOCOL],
    ["PRIORITY of another length", [open, frame("PRIORITY", 0, 1, [0, 0, 0, 0])], SIZE],
    ["PRIORITY on itself", [open, frame("PRIORITY", 0, 1, [0, 0, 0, 1, 0])], PROTOCOL],
    ["a malformed head", [headers(1, grpcHead("/p.S/M", ["Upper", "x"]))], PROTOCOL],
    ["a second head", [open, headers(1, HEAD)], PROTOCOL],
    ["trailers with a pseudo-header field", [
      open,
      headers(1, block([":path", "/"]), END_HEADERS | END_STREAM),
    ], PROTOCOL],
    ["DATA after END_STREAM", [open, data(1, text(""), END_STREAM), data(1, text("x"))], CLOSED],
    ["HEADERS after END_STREAM", [open, data(1, text(""), END_STREAM), headers(1, HEAD)], CLOSED],
    ["a body longer than content-length", [
      headers(1, grpcHead("/p.S/M", ["content-length", "2"])),
      data(1, text("abc")),
    ], PROTOCOL],
    ["a body shorter than content-length", [
      headers(1, grpcHead("/p.S/M", ["content-length", "4"])),
      data(1, text("abc"), END_STREAM),
    ], PROTOCOL],
    ["no body where content-length promises one", [
      headers(1, grpcHead("/p.S/M", ["content-length", "1"]), END_HEADERS | END_STREAM),
    ], PROTOCOL],
    ["trailers before the promised body", [
      headers(1, grpcHead("/p.S/M", ["content-length", "1"])),
      headers(1, block(["a", "b"]), END_HEADERS | END_STREAM),
    ], PROTOCOL],
  ];
  for (const [why, sent, code] of rows) {
    await using side = await ServerSide.ready();
    const heard = await side.says(...sent);
    assertEquals(heard, [`RST_STREAM 1 code ${code}`], why);
    for (const { events } of side.served) assertEquals(events.at(-1), "closed", why);
    // The connection goes on.
    assertEquals(await side.opens(3), []);
    side.served.at(-1)?.stream.end(0);
    await settle();
    assertEquals(side.pipe.lines().slice(-2), ["HEADERS 3 END", "RST_STREAM 3 code 0"], why);
  }
});

/** A service that ends a stream when the peer has ended its side. */
function endWhenAsked(event: string, served: { stream: { end(code: number): void } }): void {
  if (event === "halfClosed") served.stream.end(0);
}

Deno.test("what is odd but allowed harms nothing", async () => {
  const rows: [why: string, sent: Uint8Array[]][] = [
    ["unknown frame types", [frame(10, 0, 0, text("x")), frame(255, 255, 1, text("x"))]],
    ["unknown settings", [settings([0xff, 1])]],
    ["undefined flags", [headers(1, HEAD, END_HEADERS | 0xd2 & ~PADDED & ~PRIORITY)]],
    ["reserved bits", [headers(0x8000_0001, HEAD)]],
    ["padding", [headers(1, concat([3], HEAD, [0, 0, 0]), END_HEADERS | PADDED)]],
    ["priority", [headers(1, concat(u32(0), [16], HEAD), END_HEADERS | PRIORITY)]],
    ["PRIORITY on an idle stream", [frame("PRIORITY", 0, 7, [0, 0, 0, 1, 0])]],
    ["continuations", [
      headers(1, HEAD.slice(0, 5), 0),
      frame("CONTINUATION", 0, 1, HEAD.slice(5, 9)),
      frame("CONTINUATION", END_HEADERS, 1, HEAD.slice(9)),
    ]],
    ["skipped ids", [headers(1, HEAD), headers(99, HEAD)]],
    ["a frame in single bytes", [...headers(1, HEAD)].map((byte) => Uint8Array.of(byte))],
    ["WINDOW_UPDATE on a closed stream", [whole, windowUpdate(1, 1)]],
    ["RST_STREAM on a closed stream", [whole, reset(1)]],
    ["PING ACK nobody asked for", [frame("PING", 1, 0, new Uint8Array(8))]],
    ["SETTINGS ACK nobody waits for", [settingsAck, settingsAck]],
    ["GOAWAY of the client", [frame("GOAWAY", 0, 0, new Uint8Array(8))]],
  ];
  for (const [why, sent] of rows) {
    await using side = await ServerSide.ready({ react: endWhenAsked });
    const heard = await side.says(...sent);
    assert(!heard.some((line) => /GOAWAY|RST_STREAM/.test(line)), `${why}: ${heard}`);
    await side.says(headers(101, HEAD, END_HEADERS | END_STREAM));
    assertEquals(side.pipe.lines().at(-1), "HEADERS 101 END", why);
  }
});

Deno.test("windows that are used are given back in halves, so steady DATA goes on for ever", async () => {
  await using side = await ServerSide.ready();
  const full = new Uint8Array(16_384);
  await side.opens(1);
  for (let n = 0; n < 64; n++) await side.says(data(1, full));
  const granted = (id: number) =>
    side.pipe.heard.filter((heard) => heard.type === "WINDOW_UPDATE" && heard.id === id)
      .reduce((sum, { payload }) => sum + new DataView(payload.buffer).getUint32(0), 0);
  const sent = 64 * full.length;
  assert(granted(1) > sent - 128 * 1024 && granted(1) <= sent, `${granted(1)} of ${sent}`);
  for (let n = 0; n < 192; n++) await side.says(data(1, full));
  assert(granted(0) > 4 * sent - 2 * 1024 * 1024 && granted(0) <= 4 * sent);
  assertEquals(side.connection.streams.size, 1);
});

Deno.test("the beginning: preface, then SETTINGS", async () => {
  const rows: [why: string, sent: Uint8Array[]][] = [
    ["HTTP/1.1", [text("GET / HTTP/1.1\r\nHost: x\r\n\r\n")]],
    ["a preface with a fault in it", [text("PRI * HTTP/2.0\r\n\r\nSN\r\n\r\n")]],
    ["HEADERS first", [PREFACE, headers(1, HEAD)]],
    ["SETTINGS ACK first", [PREFACE, settingsAck]],
    ["a TLS hello", [Uint8Array.of(0x16, 3, 1, 0, 200, 1)]],
  ];
  for (const [why, sent] of rows) {
    await using side = new ServerSide();
    const heard = await side.says(...sent);
    assertEquals(heard.at(-1), "GOAWAY last 0 code 1", why);
  }
});

Deno.test("the beginning may come in single bytes", async () => {
  await using side = new ServerSide();
  const hello = concat(PREFACE, settings([3, 5]), headers(1, HEAD));
  await side.says(...[...hello].map((byte) => Uint8Array.of(byte)));
  assertEquals(side.served.length, 1);
  const expected = ["SETTINGS", "WINDOW_UPDATE 0 +4128769", "SETTINGS ACK"];
  assertEquals(side.pipe.lines(), expected);
});
