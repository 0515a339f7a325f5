// Hostile peers against the limits of time: half-open, stalled, silent and idle connections.
import { assert, assertEquals } from "@std/assert";
import {
  frame,
  grpcHead,
  headers,
  PREFACE,
  reset,
  settings,
  settingsAck,
  text,
  windowUpdate,
} from "./_frames.ts";
import { settle } from "./_pipe.ts";
import { ServerSide } from "./_server_side.ts";

const CALM = 11;
const HEAD = grpcHead("/p.S/M");

Deno.test("half-open and half-said connections end in time", async () => {
  const fresh = (...sent: Uint8Array[]) => sent;
  const rows: [why: string, sent: Uint8Array[], code: number][] = [
    ["nothing at all", fresh(), 4],
    ["half a preface", fresh(PREFACE.slice(0, 10)), 4],
    ["preface without SETTINGS", fresh(PREFACE), 4],
    ["no ACK of our SETTINGS", fresh(PREFACE, settings()), 4],
    [
      "a header block without end",
      fresh(PREFACE, settings(), settingsAck, headers(1, HEAD, 0)),
      CALM,
    ],
  ];
  for (const [why, sent, code] of rows) {
    await using side = new ServerSide();
    await side.says(...sent);
    await side.passes(9000);
    assert(side.connection.open, why);
    await side.passes(2000);
    assert(side.pipe.lines().at(-1)?.endsWith(`code ${code}`), `${why}: ${side.pipe.lines()}`);
    await side.passes(1000);
    assert(side.closed, why);
  }
});

Deno.test("a write that is stuck ends the connection, one that moves does not", async () => {
  await using side = await ServerSide.ready();
  await side.opens(1);
  side.pipe.stall();
  side.served[0]!.stream.send(text("x"));
  await side.passes(19_000);
  assert(side.connection.open);
  side.pipe.flow();
  await settle();
  side.pipe.stall();
  side.served[0]!.stream.send(text("x"));
  await side.passes(19_000);
  assert(side.connection.open);
  await side.passes(2000);
  assert(side.closed);
  side.pipe.flow();
});

Deno.test("windows that never open end the connection, slow ones do not", async () => {
  await using side = await ServerSide.ready();
  await side.says(settings([4, 0]));
  await side.opens(1);
  side.served[0]!.stream.send(text("12345678"));
  const alive = frame("PING", 0, 0, new Uint8Array(8));
  for (let n = 0; n < 4; n++) {
    await side.passes(50_000);
    assert(side.connection.open, `round ${n}`);
    await side.says(alive, windowUpdate(1, 1));
  }
  for (let n = 0; n < 3; n++) {
    await side.passes(25_000);
    await side.says(alive);
  }
  assert(side.pipe.lines().at(-1)?.endsWith(`code ${CALM}`));
});

Deno.test("a silent peer is asked by PING; one that is gone ends, one that answers stays", async () => {
  await using side = await ServerSide.ready();
  await side.opens(1);
  await side.passes(60_000);
  assertEquals(side.pipe.lines(), ["PING"]);
  const ack = frame("PING", 1, 0, side.pipe.heard[0]!.payload);
  await side.says(ack);
  await side.passes(60_000);
  assertEquals(side.pipe.lines(), ["PING", "PING"]);
  await side.passes(19_000);
  assert(side.connection.open);
  await side.passes(2000);
  assert(side.closed);
  assertEquals(side.served[0]!.events, ["closed"]);
});

Deno.test("connections without use are closed gracefully, used ones much later", async () => {
  const ping = frame("PING", 0, 0, new Uint8Array(8));
  const rows: [used: boolean, idleMs: number][] = [[false, 5 * 60_000], [true, 65 * 60_000]];
  for (const [used, idleMs] of rows) {
    await using side = await ServerSide.ready();
    if (used) await side.says(headers(1, HEAD), reset(1));
    for (let passed = 0; passed < idleMs - 30_000; passed += 30_000) {
      await side.says(ping);
      await side.passes(30_000, 10_000);
    }
    assert(side.connection.open);
    side.forget();
    await side.says(ping);
    await side.passes(31_000);
    assertEquals(side.pipe.lines()[1], `GOAWAY last ${2 ** 31 - 1} code 0`);
    assert(!side.connection.open);
  }
});

Deno.test("a connection with streams is never idle", async () => {
  await using side = await ServerSide.ready();
  await side.opens(1);
  for (let minute = 0; minute < 70; minute++) {
    await side.says(frame("PING", 0, 0, new Uint8Array(8)));
    await side.passes(60_000, 10_000);
  }
  assert(side.connection.open);
});
