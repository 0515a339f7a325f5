// Hostile peers against each named limit: what ends, with which code, and what goes on.
import { assert, assertEquals } from "@std/assert";
import { DEFAULT_LIMITS } from "../../src/h2/limits.ts";
import {
  concat,
  data,
  END_HEADERS,
  frame,
  grpcHead,
  headers,
  literal,
  message,
  reset,
  settings,
  settingsAck,
  text,
  windowUpdate,
} from "./_frames.ts";
import { CALM, calmedBy, ids } from "./_flood.ts";
import { settle } from "./_pipe.ts";
import { ServerSide } from "./_server_side.ts";

const HEAD = grpcHead("/p.S/M");

Deno.test("concurrent streams: more are refused, each one freed lets another in", async () => {
  await using side = await ServerSide.ready({ streamsMax: 3 });
  const heard = await side.opens(...ids(5));
  assertEquals(heard, ["RST_STREAM 7 code 7", "RST_STREAM 9 code 7"]);
  assertEquals(side.served.length, 3);
  side.served[0]!.stream.end(0);
  await settle();
  assertEquals(await side.opens(11), []);
  assertEquals(side.served.length, 4);
});

Deno.test("refused streams are charged: opening without end is an attack", async () => {
  const limits = { resetBurst: 20, resetsPerSecond: 1 };
  await using side = await ServerSide.ready({ streamsMax: 2, limits });
  const heard = await side.opens(...ids(40));
  assertEquals(heard.filter((line) => line.includes("code 7")).length, 21);
  assert(heard.at(-1)?.endsWith(`code ${CALM}`), heard.at(-1));
});

Deno.test("header list size and count: 431 and RESOURCE_EXHAUSTED, the connection goes on", async () => {
  const rows: [why: string, more: [string, string][]][] = [
    ["bytes", [["x", "v".repeat(2000)]]],
    ["fields", Array.from({ length: 30 }, (_, n) => [`x${n}`, ""])],
  ];
  for (const [why, more] of rows) {
    const limits = { headerListBytes: 2000, headerFields: 20 };
    await using side = await ServerSide.ready({ limits });
    const heard = await side.says(headers(1, grpcHead("/p.S/M", ...more)), data(1, message("x")));
    assertEquals(heard, ["HEADERS 1 END", "RST_STREAM 1 code 0"], why);
    const shown = new TextDecoder("latin1").decode(side.pipe.heard[0]!.payload);
    assert(shown.includes("431"), why);
    assertEquals(side.served.length, 0);
    assertEquals(await side.opens(3), []);
    assertEquals(side.served.length, 1);
  }
});

Deno.test("a large header list within the limit is served", async () => {
  await using side = await ServerSide.ready();
  // A client may put this much into its tracestate, and a proxy sends it on.
  const block = grpcHead("/p.S/M", ["tracestate", "v".repeat(90_000)]);
  const parts = [0, 1, 2, 3, 4, 5].map((n) => block.slice(16_000 * n, 16_000 * (n + 1)));
  const frames = parts.map((part, n) =>
    n === 0
      ? headers(1, part, 0)
      : frame("CONTINUATION", n === parts.length - 1 ? END_HEADERS : 0, 1, part)
  );
  assertEquals(await side.says(...frames), []);
  assertEquals(side.served[0]!.stream.metadata("tracestate")?.length, 90_000);
});

Deno.test("header block size and CONTINUATION flood", async () => {
  const rows: [why: string, fragment: Uint8Array][] = [
    ["bytes", new Uint8Array(16_384).fill(0x82)],
    ["small frames", Uint8Array.of(0x82)],
    ["empty frames", new Uint8Array(0)],
  ];
  for (const [why, fragment] of rows) {
    await using side = await ServerSide.ready();
    const heard = await side.says(
      headers(1, new Uint8Array(0), 0),
      ...Array.from({ length: 1000 }, () => frame("CONTINUATION", 0, 1, fragment)),
    );
    assertEquals(heard, [`GOAWAY last 0 code ${CALM}`], why);
  }
});

Deno.test("frames without work: each kind alone ends the connection after its burst", async () => {
  const rows: [why: string, sent: Uint8Array, weight: number][] = [
    ["PING", frame("PING", 0, 0, new Uint8Array(8)), 1],
    ["PING ACK", frame("PING", 1, 0, new Uint8Array(8)), 1],
    ["PING ACK as if of a keepalive", frame("PING", 1, 0, [1, 0, 0, 0, 0, 0, 0, 0]), 1],
    ["PING ACK as if of a GOAWAY", frame("PING", 1, 0, [2, 0, 0, 0, 0, 0, 0, 0]), 1],
    ["SETTINGS", settings(), 10],
    ["SETTINGS with a new window each", settings([4, 1000], [4, 2000]), 10],
    ["SETTINGS ACK", settingsAck, 1],
    ["PRIORITY", frame("PRIORITY", 0, 1, [0, 0, 0, 0, 0]), 1],
    ["empty DATA", data(1, new Uint8Array(0)), 1],
    ["DATA that is padding", data(1, Uint8Array.of(2, 0, 0), 8), 1],
    ["WINDOW_UPDATE of a stream", windowUpdate(1, 1), 1],
    ["WINDOW_UPDATE of the connection", windowUpdate(0, 1), 1],
    ["unknown types", frame(77, 0, 0, text("x")), 1],
    ["RST_STREAM on a closed stream", reset(3), 1],
    ["GOAWAY", frame("GOAWAY", 0, 0, new Uint8Array(8)), 1],
  ];
  for (const [why, sent, weight] of rows) {
    await using side = await ServerSide.ready();
    await side.opens(1, 3);
    await side.says(reset(3));
    const count = await calmedBy(side, sent);
    const burst = DEFAULT_LIMITS.controlBurst / weight;
    assert(count >= burst * 0.9 && count <= burst * 1.2 + 100, `${why}: ${count}`);
  }
});

Deno.test("control frames that follow from work are free for ever", async () => {
  await using side = await ServerSide.ready({
    react: (event, { stream }) => {
      if (event.startsWith("message")) stream.send(text("answer"));
    },
  });
  await side.opens(1);
  const round = concat(
    data(1, message("x")),
    frame("PING", 0, 0, new Uint8Array(8)),
    windowUpdate(1, 11),
    windowUpdate(0, 11),
  );
  assertEquals(await calmedBy(side, round), Infinity);
});

Deno.test("control frames at a moderate rate are free for ever", async () => {
  await using side = await ServerSide.ready();
  for (let second = 0; second < 30; second++) {
    const pings = Array.from({ length: 200 }, () => frame("PING", 0, 0, new Uint8Array(8)));
    const heard = await side.says(concat(...pings));
    assertEquals(heard.length, 200);
    await side.passes(1000);
  }
  assert(side.connection.open);
});

Deno.test("rapid reset as an attack: streams given up before their answer", async () => {
  const limits = { resetBurst: 100, resetsPerSecond: 10 };
  await using side = await ServerSide.ready({ limits, streamsMax: 10 });
  let opened = 0;
  while (side.connection.open && opened < 500) {
    const id = 2 * opened++ + 1;
    await side.says(headers(id, HEAD), reset(id));
  }
  assertEquals(opened, 101);
  assert(side.pipe.lines().at(-1)?.endsWith(`code ${CALM}`));
});

Deno.test("B01: resets of answered streams are the normal end of an exchange, at any rate", async () => {
  await using side = await ServerSide.ready({
    limits: { resetBurst: 5, resetsPerSecond: 0 },
    streamsMax: 2,
    react: (event, { stream }) => {
      if (event.startsWith("message")) stream.send(text("verdict"));
    },
  });
  for (let n = 0; n < 500; n++) {
    const id = 2 * n + 1;
    await side.says(concat(headers(id, HEAD), data(id, message("x")), windowUpdate(0, 100)));
    await side.says(reset(id));
  }
  assert(side.connection.open);
  assertEquals(side.connection.streams.size, 0);
});

Deno.test("a full lot that is given up at once costs nothing, young or old", async () => {
  const full = 2048;
  for (const ageMs of [0, 5000]) {
    await using side = await ServerSide.ready({
      limits: { resetBurst: 10, resetsPerSecond: 0 },
      streamsMax: full,
    });
    await side.says(concat(...ids(full).map((id) => headers(id, HEAD))));
    assertEquals(side.served.length, full);
    await side.passes(ageMs);
    await side.says(concat(...ids(full).map((id) => reset(id))));
    assert(side.connection.open, `${ageMs} ms old`);
    // And once more, right after.
    await side.says(concat(...ids(full, 2 * full + 1).map((id) => headers(id, HEAD))));
    await side.says(concat(...ids(full, 2 * full + 1).map((id) => reset(id))));
    assert(side.connection.open, `${ageMs} ms old, second time`);
  }
});

Deno.test("full lots that are given up again and again after an attempt cost nothing", async () => {
  const batch = 560;
  await using side = await ServerSide.ready({
    limits: { resetBurst: 10, resetsPerSecond: 0 },
    streamsMax: batch,
  });
  for (let n = 0; n < 20; n++) {
    const of = ids(batch, 1 + 2 * n * batch);
    await side.says(concat(...of.map((id) => headers(id, HEAD))));
    await side.passes(DEFAULT_LIMITS.resetExemptMs);
    await side.says(concat(...of.map((id) => reset(id))));
  }
  assertEquals(side.served.length, 20 * batch);
  assert(side.connection.open);
});

Deno.test("a connection that ends over a limit is said, with the reason and what it takes along", async () => {
  await using side = await ServerSide.ready({ limits: { resetBurst: 5 }, streamsMax: 2 });
  await side.opens(1);
  for (let id = 3; side.connection.open; id += 2) await side.says(headers(id, HEAD), reset(id));
  assertEquals(side.faults, [
    "HTTP/2 connection ended: ENHANCE_YOUR_CALM: too many streams that came to nothing; open streams: 1",
  ]);
});

Deno.test("resets that a client provokes from us are charged", async () => {
  const limits = { resetBurst: 50, resetsPerSecond: 0 };
  const rows: [why: string, sent: (id: number) => Uint8Array][] = [
    ["window of 0", (id) => concat(headers(id, HEAD), windowUpdate(id, 0))],
    ["window overflow", (id) => concat(headers(id, HEAD), windowUpdate(id, 2 ** 31 - 1))],
    [
      "self-dependent priority",
      (id) => concat(headers(id, HEAD), frame("PRIORITY", 0, id, [0, 0, id >> 8, id & 255, 0])),
    ],
    ["malformed head", (id) => headers(id, concat(HEAD, literal("A", "b")))],
    ["second head", (id) => concat(headers(id, HEAD), headers(id, HEAD))],
    ["DATA after the end", (id) => concat(headers(id, HEAD, 5), data(id, text("x")))],
    ["DATA on a closed stream", (id) => concat(headers(id, HEAD), reset(id), data(id, text("x")))],
  ];
  for (const [why, sent] of rows) {
    await using side = await ServerSide.ready({ limits, streamsMax: 10 });
    for (let n = 0; n < 200 && side.connection.open; n++) await side.says(sent(2 * n + 1));
    assert(!side.connection.open, why);
    assert(side.pipe.lines().at(-1)?.endsWith(`code ${CALM}`), why);
  }
});
