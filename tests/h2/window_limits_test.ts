// Hostile peers against what windows cost: opened by the byte, or moved for all streams at once.
import { assert, assertEquals } from "@std/assert";
import type { Stream } from "../../src/h2/core.ts";
import { CALM, calmedBy, ids } from "./_flood.ts";
import { concat, data, settings, windowUpdate } from "./_frames.ts";
import { ServerSide } from "./_server_side.ts";

Deno.test("a window that opens by a byte at a time is no work, one that opens by much is", async () => {
  const rows: [why: string, id: number, increment: number, calm: boolean][] = [
    ["a byte of the connection's", 0, 1, true],
    ["a byte of the stream's", 1, 1, true],
    ["a kilobyte of the connection's", 0, 1024, false],
    ["a kilobyte of the stream's", 1, 1024, false],
  ];
  for (const [why, id, increment, calm] of rows) {
    await using side = await ServerSide.ready({ limits: { sendBufferBytes: 1 << 30 } });
    await side.says(settings([4, id === 0 ? 1 << 30 : 0]), windowUpdate(0, id === 0 ? 1 : 1 << 30));
    await side.opens(1);
    side.served[0]!.stream.send(new Uint8Array(1 << 25));
    const count = await calmedBy(side, windowUpdate(id, increment));
    assert(calm ? count >= 800 && count <= 1100 : count === Infinity, `${why}: ${count}`);
  }
});

Deno.test("a new initial window costs by the streams that it moves", async () => {
  const streams = 400;
  const rows: [why: string, dataFrames: number, calm: boolean][] = [
    ["a few bytes do not pay for it", 3, true],
    ["as much work as looks does", streams / 8, false],
  ];
  for (const [why, dataFrames, calm] of rows) {
    await using side = await ServerSide.ready({ streamsMax: streams });
    await side.opens(...ids(streams));
    const work = Array.from({ length: dataFrames }, () => data(1, Uint8Array.of(0)));
    const moves = [settings([4, 1000]), settings([4, 2000])];
    const round = concat(...moves.flatMap((move) => [move, ...work]));
    let rounds = 0;
    for (; rounds < 100 && side.connection.open; rounds++) await side.says(round);
    assertEquals(rounds < 100, calm, `${why}: ${rounds}`);
    if (calm) assert(side.pipe.lines().at(-1)?.endsWith(`code ${CALM}`), why);
  }
});

Deno.test("a new initial window now and then is free, however many streams there are", async () => {
  const streams = 10_000;
  await using side = await ServerSide.ready({ streamsMax: streams });
  await side.opens(...ids(streams));
  for (let bytes = 100_000; bytes < 300_000; bytes += 100_000) {
    await side.says(settings([4, bytes]));
  }
  assert(side.connection.open);
  assert(side.served.every(({ stream }) => (stream as unknown as Stream).sendWindow === 200_000));
});
