// HPACK against another implementation (node:http2, that is nghttp2): what its encoder says with a
// dynamic table full of insertions and evictions our decoder must read, and the other way round.
import { assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import http2 from "node:http2";
import { systemClock } from "../../../src/h2/clock.ts";
import { type Connection, Stream } from "../../../src/h2/core.ts";
import { encodeBlock } from "../../../src/h2/hpack/encoder.ts";
import type { MetadataEntry } from "../../../src/h2/grpc/types.ts";
import { dialGrpc } from "../../../src/h2/grpc_client.ts";
import { limitsWith } from "../../../src/h2/limits.ts";
import { Http2Server } from "../../../src/h2/server.ts";
import { until } from "../../support/until.ts";
import { Random, seedOf } from "../../wire/support/random.ts";
import { Call } from "../_client_side.ts";

const REQUESTS = 3000;
const IN_FLIGHT = 50;
const OK = encodeBlock([[":status", "200"]]);

/** Answers every request at once. */
class Answered extends Stream {
  receivedHead(): void {}
  receivedData(): void {}
  receivedEnd(): void {
    this.connection.send.trailers(this, OK);
  }
  ended(): void {}
}

type Fields = [name: string, value: string][];

/** Few names and values come again and again, some are new: the table is used and churned. */
function randomFields(random: Random): Fields {
  const fields: Fields = [];
  const count = random.below(random.oneIn(10) ? 40 : 8);
  for (const name of new Set(Array.from({ length: count }, () => `x-${random.below(60)}`))) {
    fields.push([name, randomValue(random)]);
  }
  return fields;
}

function randomValue(random: Random): string {
  if (random.oneIn(3)) return random.pick(["", "0", "grpc", "a/b;c=d", "~".repeat(60)]);
  const length = random.below(random.oneIn(20) ? 3000 : 40);
  const text = String.fromCharCode(...Array.from({ length }, () => 0x20 + random.below(0x5f)));
  return text.trim();
}

Deno.test("our decoder reads what nghttp2's encoder writes", async () => {
  const random = new Random(seedOf("hpack differential, in"));
  // In the order of the streams: every request may have the same path, so blocks do repeat.
  const heads: (readonly string[])[] = [];
  const server = new Http2Server({
    hostname: "127.0.0.1",
    port: 0,
    streamsMax: 100,
    limits: limitsWith({}),
    clock: systemClock,
    onFault: (what, error) => console.error(what, error),
  }, (connection: Connection) => ({
    request(head) {
      heads.push(head?.fields ?? []);
      return new Answered(connection);
    },
    begin() {},
  }));
  const session = http2.connect(`http://127.0.0.1:${server.port}`);
  const sent: Fields[] = [];
  const usual = Array.from({ length: 5 }, () => randomFields(random));
  const ask = () => {
    const fields = random.oneIn(2) ? random.pick(usual) : randomFields(random);
    sent.push(fields);
    return new Promise<void>((resolve, reject) => {
      const request = session.request({ ":path": "/", ...Object.fromEntries(fields) });
      request.on("error", reject);
      request.on("close", () => resolve());
      request.resume();
      request.end();
    });
  };
  for (let n = 0; n < REQUESTS; n += IN_FLIGHT) {
    await Promise.all(Array.from({ length: IN_FLIGHT }, ask));
  }
  session.destroy();
  await server.close();
  assertEquals(heads.length, REQUESTS);
  for (const [index, fields] of sent.entries()) {
    const head = heads[index] ?? [];
    const regular: Fields = [];
    for (let at = 0; at < head.length; at += 2) {
      if (head[at]!.startsWith("x-")) regular.push([head[at]!, head[at + 1]!]);
    }
    assertEquals(regular, fields, `request ${index}`);
  }
});

Deno.test("nghttp2's decoder reads what our encoder writes, whatever table it allows", async () => {
  const random = new Random(seedOf("hpack differential, out"));
  const heard = new Map<string, Fields>();
  const server = http2.createServer();
  let session: http2.ServerHttp2Session | undefined;
  server.on("session", (one) => session = one);
  server.on(
    "stream",
    (stream: http2.ServerHttp2Stream, _head: unknown, _flags: number, raw: string[]) => {
      const fields: Fields = [];
      for (let at = 0; at < raw.length; at += 2) fields.push([raw[at]!, raw[at + 1]!]);
      heard.set(fields.find(([name]) => name === ":path")?.[1] ?? "", fields);
      stream.respond({ "content-type": "application/grpc" }, { waitForTrailers: true });
      stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
      stream.end(Buffer.from([0, 0, 0, 0, 0]));
    },
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const { port } = server.address() as { port: number };
  const client = await dialGrpc({
    hostname: "127.0.0.1",
    port,
    authority: "a",
    clock: systemClock,
  });
  const sent = new Map<string, readonly MetadataEntry[]>();
  for (let n = 0; n < REQUESTS; n += IN_FLIGHT) {
    session?.settings({ headerTableSize: random.pick([0, 1, 100, 4096, 65_536]) });
    const calls = Array.from({ length: IN_FLIGHT }, (_, at) => {
      const metadata = randomFields(random);
      sent.set(`/p.S/${n + at}`, metadata);
      const call = new Call();
      client.call({ path: `/p.S/${n + at}`, message: new Uint8Array(0), metadata }, call);
      return call;
    });
    await until("answers", () => calls.every(({ ends }) => ends.length === 1));
    assertEquals(new Set(calls.map(({ ends }) => ends[0])), new Set(["ok "]));
  }
  await client.close();
  await new Promise((resolve) => server.close(resolve));
  assertEquals(heard.size, REQUESTS);
  for (const [path, metadata] of sent) {
    const fields = heard.get(path)?.filter(([name]) => name.startsWith("x-"));
    assertEquals(fields, metadata.map(([name, value]): [string, string] => [name, value]), path);
  }
});
