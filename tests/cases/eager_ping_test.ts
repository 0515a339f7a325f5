// A real grpc-go server with its default enforcement never finds our PINGs too many, however long a
// call takes and however long a connection is idle. Skipped, and said, where there is no Go.
import { assert, assertEquals, assertLessOrEqual } from "@std/assert";
import { createClient } from "../../src/controlplane/client.ts";
import type { ControlPlaneClient } from "../../src/controlplane/port.ts";
import type { Answer, Clock } from "../../src/engine/mod.ts";
import { SPARSE_PING_MS } from "../../src/h2/keepalive.ts";
import { dialGrpcJs } from "../../src/grpcjs/dial.ts";
import type { DialUnary } from "../../src/h2/grpc/types.ts";
import { dialGrpc } from "../../src/h2/grpc_client.ts";
import { monotonicClock } from "../../src/process/platform.ts";
import { goBuild } from "../h2/_go.ts";
import { GoPeer } from "../h2/_go_peer.ts";
import { FaultyLink } from "../support/faulty_link.ts";
import { GrpcPeer } from "../support/grpc_peer.ts";
import { until } from "../support/until.ts";
import { LeapClock } from "./support/leap_clock.ts";
import { PingCount } from "./support/ping_count.ts";

const program = await goBuild("cases-control-plane", "../cases/go");
/** Shorter than any silence after which a client that does not hold back would ping. */
const MIN_TIME_MS = 1_500;
const IDLE_MINUTES = 15;
/** A server that finds PINGs too many says so at the fourth: our two, and two more. */
const LONG_CALL_MS = 12_000;
/** Outlives five PINGs and the rests between them. */
const LONGER_CALL_MS = 15_000;

/** The server, the client of the program, and a relay that counts between them. */
class Stage implements AsyncDisposable {
  readonly pings = new PingCount();
  readonly warnings: string[] = [];

  private constructor(
    readonly port: number,
    readonly link: FaultyLink,
    readonly client: ControlPlaneClient,
    pings: PingCount,
    warnings: string[],
    readonly parts: AsyncDisposableStack,
  ) {
    this.pings = pings;
    this.warnings = warnings;
  }

  static async start(
    clock: Clock,
    args: readonly string[] = [],
    dial: DialUnary = dialGrpc,
  ): Promise<Stage> {
    await using parts = new AsyncDisposableStack();
    const peer = parts.use(new GoPeer(program!, ...args));
    const port = Number(await peer.line("port "));
    const pings = new PingCount();
    const link = parts.use(new FaultyLink(() => port, pings.hear));
    const warnings: string[] = [];
    const client = createClient({
      address: link.address,
      credentials: { kind: "insecure" },
      log: (level, msg, fields) => {
        if (level === "warn") warnings.push(`${msg} ${JSON.stringify(fields)}`);
      },
    }, {
      dial,
      clock,
      resolve: () => Promise.reject(new Error("a literal address")),
      readFile: () => "",
    });
    parts.defer(() => client.close());
    await client.warm();
    return new Stage(port, link, client, pings, warnings, parts.move());
  }

  /** One call that the server answers after `ms`. */
  call(ms: number): Promise<Answer> {
    const actor = { atespace: "s", actorId: `wait-${ms}-x` };
    return new Promise((resolve) => {
      this.client.resume({ actor, trace: undefined }, { started() {}, answered: resolve });
    });
  }

  /** A hundred calls, all at once. */
  async load(): Promise<void> {
    const answers = await Promise.all(Array.from({ length: 100 }, () => this.call(0)));
    assertEquals(answers.filter(({ kind }) => kind !== "ok"), []);
  }

  /** One connection, no complaint. */
  wasWelcome(): void {
    assertEquals([this.link.accepted, this.warnings], [1, []]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.parts.disposeAsync();
  }
}

function goTest(name: string, body: () => Promise<void>): void {
  Deno.test({ name, ignore: program === undefined, fn: body });
}

goTest("B63: grpc-go says too_many_pings to a client that does ping too often", async () => {
  await using stage = await Stage.start(monotonicClock());
  await using eager = new GrpcPeer(stage.port);
  const call = eager.open("/ateapi.Control/ResumeActor");
  call.send(new Uint8Array([0x0a, 0x0e, 0x12, 0x0c, ...new TextEncoder().encode("wait-60000-x")]));
  for (let n = 0; n < 4; n++) await eager.ping();
  await until("GOAWAY", () => eager.heardGoAway);
});

goTest("B63: grpc-go with its defaults: long calls, short calls and none are welcome", async () => {
  await using long = await Stage.start(monotonicClock());
  await using short = await Stage.start(monotonicClock());
  await using other = await Stage.start(monotonicClock(), [], dialGrpcJs);
  const shorts = async () => {
    const answers = [];
    for (let n = 0; n < 4; n++) answers.push(await short.call(LONG_CALL_MS / 4));
    return answers;
  };
  const [one, four, grpcJs] = await Promise.all([
    long.call(LONG_CALL_MS),
    shorts(),
    other.call(LONG_CALL_MS),
  ]);
  assertEquals([one, ...four, grpcJs].filter(({ kind }) => kind !== "ok"), []);
  assertEquals(long.pings.atMs.length, 2, "two for one call, however long");
  // A call of three seconds has one, or two when the machine is late.
  assert(short.pings.atMs.length >= 3, `${short.pings.atMs.length} PINGs`);
  assertLessOrEqual(short.pings.atMs.length, 8);
  assertEquals(other.pings.atMs.length, 0, "grpc-js has no keepalive");
  for (const stage of [long, short, other]) {
    await stage.load();
    stage.wasWelcome();
  }
});

goTest("B63: a call of twenty minutes and an idle quarter of an hour are welcome too", async () => {
  const clock = new LeapClock();
  await using stage = await Stage.start(clock, ["-min-time", `${MIN_TIME_MS}ms`]);
  const { atMs } = stage.pings;
  let over = false;
  const answer = stage.call(LONGER_CALL_MS).finally(() => over = true);
  await until("the first two", () => atMs.length === 2);
  for (let sparse = 3; sparse <= 5; sparse++) {
    const restMs = atMs.at(-1)! + 1.3 * MIN_TIME_MS;
    await until("as much time as the server wants", () => performance.now() > restMs);
    assertEquals(atMs.length, sparse - 1, "none before five minutes are over");
    clock.leap(SPARSE_PING_MS);
    await until(`PING ${sparse}`, () => atMs.length === sparse);
  }
  assertEquals(over, false, "all of them for one call");
  assertEquals((await answer).kind, "ok");
  const pings = atMs.length;
  for (let minute = 0; minute < IDLE_MINUTES; minute++) {
    clock.leap(60_000);
    // Timers that are due now fire, and what they write gets here.
    await new Promise((resolve) => clock.after(20, () => resolve(undefined)));
  }
  assertEquals(atMs.length, pings, "none without a call");
  await stage.load();
  stage.wasWelcome();
  assertLessOrEqual(atMs.length, pings + 1, "one with the first call: is anybody there?");
});
