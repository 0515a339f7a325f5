// Our client against our server over a wire that cuts and delays bytes anywhere: whatever the sizes
// and the order, every call gets its own answer, and nothing is left behind.
import { assert, assertEquals } from "@std/assert";
import { Http2Connection } from "../../src/h2/connection.ts";
import { ClientSide } from "../../src/h2/grpc/client_side.ts";
import { Assembly } from "../../src/h2/grpc/message.ts";
import type { CallEnd, ServerStream } from "../../src/h2/grpc/types.ts";
import { GrpcHandler } from "../../src/h2/grpc_server.ts";
import { limitsWith } from "../../src/h2/limits.ts";
import { ServerRole } from "../../src/h2/server_role.ts";
import { serverSettings } from "../../src/h2/settings.ts";
import type { Transport } from "../../src/h2/transport.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { Random, seedOf } from "../wire/support/random.ts";
import { settle } from "./_pipe.ts";

const STREAMS_MAX = 12;
const MESSAGE_BYTES_MAX = 200_000;

/** One direction: takes writes in parts, gives reads in parts. */
class Lane {
  readonly #random: Random;
  #bytes: Uint8Array[] = [];
  #ended = false;
  #wake: (() => void) | undefined;

  constructor(random: Random) {
    this.#random = random;
  }

  async write(bytes: Uint8Array): Promise<number> {
    if (this.#random.oneIn(4)) await Promise.resolve();
    const count = this.#random.oneIn(3) ? 1 + this.#random.below(bytes.length) : bytes.length;
    this.#bytes.push(bytes.slice(0, count));
    this.#wake?.();
    return count;
  }

  async read(into: Uint8Array): Promise<number | null> {
    while (this.#bytes.length === 0) {
      if (this.#ended) return null;
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
    const chunk = this.#bytes[0]!;
    const most = Math.min(chunk.length, into.length);
    const count = this.#random.oneIn(3) ? 1 + this.#random.below(most) : most;
    into.set(chunk.subarray(0, count));
    if (count === chunk.length) this.#bytes.shift();
    else this.#bytes[0] = chunk.subarray(count);
    return count;
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }
}

function ends(random: Random): [Transport, Transport] {
  const [there, back] = [new Lane(random), new Lane(random)];
  const close = () => [there, back].forEach((lane) => lane.end());
  return [
    { read: (into) => back.read(into), write: (bytes) => there.write(bytes), close },
    { read: (into) => there.read(into), write: (bytes) => back.write(bytes), close },
  ];
}

/** A service that answers with the bytes of the request, backwards, at once or later. */
class Mirror {
  readonly waiting: (() => void)[] = [];
  closed = 0;

  constructor(readonly random: Random) {}

  open(stream: ServerStream) {
    return {
      message: (bytes: Uint8Array) => {
        const answer = bytes.slice().reverse();
        const act = () => {
          stream.send(answer);
          stream.end(0);
        };
        if (this.random.oneIn(2)) act();
        else this.waiting.push(act);
      },
      tooLarge: () => stream.end(3, "too large"),
      halfClosed: () => {},
      closed: () => this.closed++,
    };
  }
}

function sizeOf(random: Random): number {
  if (random.oneIn(8)) return random.below(MESSAGE_BYTES_MAX);
  return random.oneIn(3) ? random.below(20_000) : random.below(60);
}

function makeServer(random: Random, transport: Transport, clock: FakeClock, mirror: Mirror) {
  const faults: string[] = [];
  const role = new ServerRole(() => {}, (what, error) => faults.push(`${what} ${error}`));
  const limits = limitsWith({});
  const connection = new Http2Connection(transport, role, clock, limits, STREAMS_MAX);
  role.connect(
    connection,
    new GrpcHandler(connection, {
      open: (stream) => mirror.open(stream),
      maxMessageBytes: MESSAGE_BYTES_MAX,
      assembly: new Assembly(limits.assemblyBytes),
      onFault: (what, error) => faults.push(`${what} ${error}`),
    }),
  );
  connection.start(serverSettings(1 + random.below(STREAMS_MAX), limits.headerListBytes));
  return { connection, faults, running: connection.run() };
}

/** Answers one of the calls that wait, now and then; all of them once calls stop coming. */
async function answerSome(random: Random, mirror: Mirror, all: boolean): Promise<void> {
  await settle();
  while (mirror.waiting.length > 0 && (all || random.oneIn(2))) {
    mirror.waiting.splice(random.below(mirror.waiting.length), 1)[0]?.();
    if (random.oneIn(3)) await settle();
  }
}

async function run(random: Random): Promise<void> {
  const clock = new FakeClock();
  const mirror = new Mirror(random);
  const [ours, theirs] = ends(random);
  const server = makeServer(random, theirs, clock, mirror);
  const faults: string[] = [];
  const client = new ClientSide(ours, {
    hostname: "x",
    port: 1,
    authority: "x",
    clock,
    onFault: (what, error) => faults.push(`${what} ${error}`),
  }, () => {});
  client.handOut();
  client.start();
  await settle();
  const calls = 20 + random.below(60);
  let answered = 0;
  for (let n = 0; n < calls; n++) {
    const message = random.bytes(sizeOf(random));
    const expected = message.slice().reverse();
    client.call({ path: "/p.S/M", message }, {
      started() {},
      answered(end: CallEnd) {
        answered++;
        assert(end.kind === "ok", JSON.stringify(end));
        assertEquals(end.message.length, expected.length);
        assert(end.message.every((byte, at) => byte === expected[at]));
      },
    });
    if (random.oneIn(4)) await answerSome(random, mirror, false);
  }
  for (let round = 0; round < 5000 && answered < calls; round++) {
    await answerSome(random, mirror, true);
  }
  assertEquals([answered, faults, server.faults], [calls, [], []]);
  assertEquals([client.active, client.queued], [0, 0]);
  client.drain();
  await server.running;
  await client.close();
  await settle();
  assertEquals([client.state, mirror.closed, server.connection.streams.size], ["closed", calls, 0]);
  assertEquals([client.assembly.bytes, server.connection.send.queuedBytes, clock.armed], [0, 0, 0]);
}

Deno.test("any cut, any size, any order: every call gets its own answer", async () => {
  const random = new Random(seedOf("both sides"));
  for (let round = 0; round < 25; round++) await run(random);
});
