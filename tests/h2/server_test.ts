// The server on real sockets: the bound on connections, who makes room, half-open ones, and the end.
import { assert, assertEquals, assertRejects } from "@std/assert";
import { systemClock } from "../../src/h2/clock.ts";
import type { BoundServer } from "../../src/h2/grpc/types.ts";
import { serveGrpc } from "../../src/h2/grpc_server.ts";
import { settle } from "./_pipe.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { until } from "../support/until.ts";
import {
  concat,
  FrameReader,
  grpcHead,
  headers,
  PREFACE,
  reset,
  settings,
  settingsAck,
  shown,
} from "./_frames.ts";

const HELLO = concat(PREFACE, settings(), settingsAck);

/** A raw client: what it heard, and whether the server has closed. */
class Raw {
  readonly lines: string[] = [];
  closed = false;
  readonly #socket: Deno.TcpConn;
  readonly #done: Promise<void>;

  private constructor(socket: Deno.TcpConn) {
    this.#socket = socket;
    this.#done = this.#read();
  }

  static async open(port: number, ...sent: Uint8Array[]): Promise<Raw> {
    const raw = new Raw(await Deno.connect({ hostname: "127.0.0.1", port }));
    for (const bytes of sent) await raw.says(bytes);
    return raw;
  }

  async says(bytes: Uint8Array): Promise<void> {
    await this.#socket.write(bytes);
  }

  async #read(): Promise<void> {
    const reader = new FrameReader();
    const buffer = new Uint8Array(65_536);
    try {
      for (;;) {
        const count = await this.#socket.read(buffer);
        if (count === null) break;
        this.lines.push(...reader.push(buffer.subarray(0, count)).map(shown));
      }
    } catch {
      // Reset, or closed here.
    }
    this.closed = true;
  }

  async close(): Promise<void> {
    try {
      this.#socket.close();
    } catch {
      // Closed already.
    }
    await this.#done;
  }
}

function serve(connections: number, clock = systemClock): Promise<BoundServer> {
  return serveGrpc({
    hostname: "127.0.0.1",
    port: 0,
    maxConcurrentStreams: 10,
    maxMessageBytes: 1000,
    clock,
    limits: { connections },
  }, () => ({ message() {}, tooLarge() {}, halfClosed() {}, closed() {} }));
}

const BUSY = headers(1, grpcHead("/p.S/M"));
const USED = concat(headers(1, grpcHead("/p.S/M")), reset(1));

Deno.test("at the bound, a connection that was never used makes room before one that was", async () => {
  const server = await serve(3);
  const busy = await Raw.open(server.port, HELLO, BUSY);
  const used = await Raw.open(server.port, HELLO, USED);
  const unused = await Raw.open(server.port, HELLO);
  await until("three", () => server.counts().connections === 3 && used.lines.length >= 3);
  const fourth = await Raw.open(server.port, HELLO, BUSY);
  await until("room", () => unused.closed);
  await until("the fourth", () => server.counts().streams === 2);
  assert(!used.closed && !busy.closed);
  const fifth = await Raw.open(server.port, HELLO, BUSY);
  await until("room", () => used.lines.at(-1)?.startsWith("GOAWAY"));
  assertEquals(used.lines.at(-1), "GOAWAY last 1 code 0");
  await used.close();
  await until("the fifth", () => server.counts().streams === 3);
  assert(!busy.closed && !fourth.closed);
  // Everybody is busy: the newcomer has to go.
  const sixth = await Raw.open(server.port);
  await until("no room", () => sixth.closed);
  assertEquals(sixth.lines, []);
  assertEquals(server.counts(), { connections: 3, streams: 3 });
  for (const one of [busy, used, unused, fourth, fifth, sixth]) await one.close();
  await server.close();
});

Deno.test("a flood of half-open connections does not keep others out", async () => {
  const server = await serve(10);
  const flood = await Promise.all(Array.from({ length: 50 }, () => Raw.open(server.port)));
  const honest = await Raw.open(server.port, HELLO, BUSY);
  await until("served", () => server.counts().streams === 1);
  for (let n = 0; n < 20; n++) flood.push(await Raw.open(server.port));
  await until("the flood is bounded", () => server.counts().connections <= 10);
  assertEquals(server.counts().streams, 1);
  assert(!honest.closed);
  for (const one of [honest, ...flood]) await one.close();
  await server.close();
});

Deno.test("time bounds are looked at while there are connections, and only then", async () => {
  const clock = new FakeClock();
  const server = await serve(10, clock);
  assertEquals(clock.armed, 0);
  const mute = await Raw.open(server.port);
  await until("accepted", () => server.counts().connections === 1);
  for (let second = 0; second < 10; second++) {
    clock.advance(1000);
    await settle();
  }
  await until("told", () => mute.lines.at(-1)?.startsWith("GOAWAY"));
  assertEquals(mute.lines.at(-1), "GOAWAY last 0 code 4");
  await mute.close();
  await until("gone", () => server.counts().connections === 0);
  clock.advance(2000);
  assertEquals(clock.armed, 0);
  await server.close();
});

Deno.test("an address that is taken is named, and nothing is left open", async () => {
  const server = await serve(1);
  const { port } = server;
  await assertRejects(
    () =>
      serveGrpc(
        { hostname: "127.0.0.1", port, maxConcurrentStreams: 1, maxMessageBytes: 1 },
        () => undefined,
      ),
    Error,
    `Cannot listen as gRPC server: 127.0.0.1:${port}: `,
  );
  await server.close();
  await server.close();
});

Deno.test("goAway refuses new connections and lets streams finish; close ends the rest", async () => {
  const server = await serve(10);
  const idle = await Raw.open(server.port, HELLO);
  const busy = await Raw.open(server.port, HELLO, BUSY);
  await until("a stream", () => server.counts().streams === 1);
  server.goAway();
  server.goAway();
  await until("both told", () => [idle, busy].every(({ lines }) => lines.includes("PING")));
  await assertRejects(() => Deno.connect({ hostname: "127.0.0.1", port: server.port }));
  // Nobody answers the PING, so the second step takes a second; the idle one closes then.
  await until("idle closed", () => idle.closed);
  assertEquals(server.counts().streams, 1);
  const startMs = performance.now();
  await server.close();
  assert(performance.now() - startMs < 1500);
  await until("reset", () => busy.lines.includes("RST_STREAM 1 code 8"));
  for (const one of [idle, busy]) await one.close();
});
