// What a server may not do: the rows are frames it sends to our client with one call in progress.
import { assert, assertEquals } from "@std/assert";
import {
  block,
  concat,
  data,
  END_HEADERS,
  END_STREAM,
  frame,
  goAway,
  headers,
  message,
  PADDED,
  PRIORITY,
  reset,
  settings,
  settingsAck,
  text,
  u32,
  windowUpdate,
} from "./_frames.ts";
import { answer, ClientStage, RESPONSE } from "./_client_side.ts";

const PROTOCOL = 1;
const FLOW = 3;
const SIZE = 6;
const COMPRESSION = 9;

Deno.test("violations that end the connection: its calls are lost, not answered", async () => {
  const rows: [why: string, sent: Uint8Array[], code: number][] = [
    ["a frame above 16384 bytes", [frame("DATA", 0, 1, new Uint8Array(16_385))], SIZE],
    ["HEADERS on stream 0", [headers(0, RESPONSE)], PROTOCOL],
    ["HEADERS on a stream we have not opened", [headers(3, RESPONSE)], PROTOCOL],
    ["HEADERS on an even stream", [headers(2, RESPONSE)], PROTOCOL],
    ["DATA on stream 0", [data(0, text("x"))], PROTOCOL],
    ["DATA on a stream we have not opened", [data(3, text("x"))], PROTOCOL],
    ["an undecodable block", [headers(1, Uint8Array.of(0xff, 0xff))], COMPRESSION],
    ["PUSH_PROMISE", [frame("PUSH_PROMISE", END_HEADERS, 1, concat(u32(2), RESPONSE))], PROTOCOL],
    ["RST_STREAM on a stream we have not opened", [reset(3)], PROTOCOL],
    ["WINDOW_UPDATE on a stream we have not opened", [windowUpdate(3, 1)], PROTOCOL],
    ["WINDOW_UPDATE of 0", [windowUpdate(0, 0)], PROTOCOL],
    ["the connection's window above 2^31-1", [windowUpdate(0, 2 ** 31 - 1)], FLOW],
    ["SETTINGS of another length", [frame("SETTINGS", 0, 0, [1])], SIZE],
    ["an offer of push", [settings([2, 1])], PROTOCOL],
    ["INITIAL_WINDOW_SIZE above 2^31-1", [settings([4, 2 ** 31])], FLOW],
    ["PING of another length", [frame("PING", 0, 0, [1])], SIZE],
    ["GOAWAY too short", [frame("GOAWAY", 0, 0, [1])], SIZE],
    ["GOAWAY on a stream", [frame("GOAWAY", 0, 1, new Uint8Array(8))], PROTOCOL],
    ["a header block interrupted", [headers(1, RESPONSE, 0), settingsAck], PROTOCOL],
    ["CONTINUATION without HEADERS", [frame("CONTINUATION", END_HEADERS, 1)], PROTOCOL],
    ["malformed PRIORITY of an idle stream", [frame("PRIORITY", 0, 9, [0])], SIZE],
    ["a CONTINUATION flood", [
      headers(1, RESPONSE, 0),
      ...Array.from({ length: 100 }, () => frame("CONTINUATION", 0, 1)),
    ], 11],
    ["a PING flood", [
      concat(...Array.from({ length: 1500 }, () => frame("PING", 0, 0, new Uint8Array(8)))),
    ], 11],
    ["a SETTINGS flood", [concat(...Array.from({ length: 200 }, () => settings()))], 11],
    ["a flood of informational heads", [
      concat(...Array.from({ length: 1500 }, () => headers(1, block([":status", "103"])))),
    ], 11],
  ];
  for (const [why, sent, code] of rows) {
    await using stage = await ClientStage.open();
    const call = stage.call();
    const heard = await stage.says(...sent);
    assertEquals(heard.at(-1), `GOAWAY last 0 code ${code}`, why);
    assertEquals(call.ends, ["lost connection"], why);
    assertEquals(stage.side.state, "closed", why);
    assert(stage.pipe.closed, why);
  }
});

Deno.test("violations that end their stream only: that call is lost or a fault", async () => {
  const rows: [why: string, sent: Uint8Array[], end: string, code: number][] = [
    ["WINDOW_UPDATE of 0", [windowUpdate(1, 0)], "lost reset", PROTOCOL],
    ["a window above 2^31-1", [windowUpdate(1, 2 ** 31 - 1)], "lost reset", FLOW],
    ["PRIORITY of another length", [frame("PRIORITY", 0, 1, [0])], "lost reset", SIZE],
    [
      "a body longer than content-length",
      [
        headers(1, concat(RESPONSE, block(["content-length", "2"]))),
        data(1, message("abc")),
      ],
      "fault malformed response: body longer than content-length",
      PROTOCOL,
    ],
  ];
  for (const [why, sent, end, code] of rows) {
    await using stage = await ClientStage.open();
    const call = stage.call();
    const heard = await stage.says(...sent);
    assertEquals(heard.at(-1), `RST_STREAM 1 code ${code}`, why);
    assertEquals(call.ends, [end], why);
    const next = stage.call();
    await stage.says(answer(3, "next"));
    assertEquals(next.ends, ["ok next"], why);
  }
});

Deno.test("what is odd but allowed harms nothing", async () => {
  const padded = concat([3], RESPONSE, [0, 0, 0]);
  const dressed = concat(u32(0), [16], RESPONSE);
  const trailers = headers(1, block(["grpc-status", "0"]), END_HEADERS | END_STREAM);
  const body = data(1, message("yes"));
  const rows: [why: string, sent: Uint8Array[]][] = [
    ["padding", [headers(1, padded, END_HEADERS | PADDED), body, trailers]],
    ["padded DATA", [
      headers(1, RESPONSE),
      data(1, concat([2], message("yes"), [0, 0]), PADDED),
      trailers,
    ]],
    ["a priority", [headers(1, dressed, END_HEADERS | PRIORITY), body, trailers]],
    ["unknown frame types and settings", [frame(99, 1, 1), settings([99, 1]), answer(1, "yes")]],
    ["empty DATA", [headers(1, RESPONSE), data(1, text("")), body, data(1, text("")), trailers]],
    ["WINDOW_UPDATE after the end", [answer(1, "yes"), windowUpdate(1, 5)]],
    ["RST_STREAM(NO_ERROR) after the end", [answer(1, "yes"), reset(1, 0)]],
    ["frames for a stream that is over", [answer(1, "yes"), body, trailers]],
    ["everything in single bytes", [...answer(1, "yes")].map((byte) => Uint8Array.of(byte))],
    ["GOAWAY before the answer", [goAway(1), answer(1, "yes")]],
  ];
  for (const [why, sent] of rows) {
    await using stage = await ClientStage.open();
    const call = stage.call();
    await stage.says(...sent);
    assertEquals(call.ends, ["ok yes"], why);
  }
});
