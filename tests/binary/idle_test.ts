// B16: connections of the shipped binary that were idle for long, and peers that say GOAWAY then. The
// library of other transports aborted the process there.
import { assertEquals } from "@std/assert";
import { ExtProcPeer } from "../support/ext_proc_peer.ts";
import { FakeControlPlane } from "../support/fake_control_plane.ts";
import { long } from "../support/long.ts";
import { statusOf } from "../support/peer_stack.ts";
import { RouterProcess } from "../support/router_process.ts";
import { hostOf } from "../support/stack.ts";
import { until } from "../support/until.ts";
import { type Binary, binaryTest } from "./_binary.ts";

/** Longer than every clock of the transport that looks at an idle connection. */
const IDLE_MS = long(6_000, 260_000);
const CALLS = 13;

interface Parts extends AsyncDisposable {
  readonly plane: FakeControlPlane;
  readonly router: RouterProcess;
}

async function start({ path }: Binary): Promise<Parts> {
  await using parts = new AsyncDisposableStack();
  const plane = parts.use(await FakeControlPlane.start());
  const flags = [
    ...["--ateapi-auth=insecure", `--ateapi-address=${plane.address}`, "--health-interval=24h"],
    ...["--envoy-admin-address=", "--drain-delay=0s", "--status-address=127.0.0.1"],
  ];
  const router = parts.use(await RouterProcess.start(flags, 0, {}, path));
  const owned = parts.move();
  return { plane, router, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function ask(peer: ExtProcPeer, actorId: string): Promise<number | undefined> {
  return statusOf(await peer.ask([[":authority", hostOf(actorId)]]));
}

async function askMany(peer: ExtProcPeer): Promise<void> {
  for (let n = 0; n < CALLS; n++) assertEquals(await ask(peer, `a${n}`), 200);
}

/** Time that passes without a word on the wire. */
async function idle(): Promise<void> {
  const startMs = performance.now();
  const passed = () => performance.now() - startMs >= IDLE_MS;
  await until("the idle time", passed, IDLE_MS + 10_000);
}

async function endsWell(router: RouterProcess): Promise<void> {
  assertEquals((await router.status()).counters.bugs, 0);
  router.signal("SIGTERM");
  assertEquals(await router.exit, 0);
}

binaryTest(
  "B16: the control plane says GOAWAY to an idle connection: the next call is served",
  async (
    binary,
  ) => {
    await using parts = await start(binary);
    const { plane, router } = parts;
    await using peer = await ExtProcPeer.connect(router.extprocPort);
    await askMany(peer);
    assertEquals(plane.accepted, 1);
    await idle();
    assertEquals(plane.connections, 1, "nobody closes an idle connection");
    plane.leave();
    await until("the old connection to be gone", () => plane.connections === 0);
    await plane.up();
    assertEquals(await ask(peer, "next"), 200);
    assertEquals(plane.of("demo/next").at(-1)?.connection, plane.accepted);
    await idle();
    assertEquals(await ask(peer, "again"), 200);
    await endsWell(router);
  },
);

binaryTest(
  "B16: Envoy says GOAWAY on an idle connection: it is closed, the next one is served",
  async (
    binary,
  ) => {
    await using parts = await start(binary);
    const { router } = parts;
    await using peer = await ExtProcPeer.connect(router.extprocPort);
    await askMany(peer);
    await idle();
    assertEquals(await ask(peer, "still"), 200);
    peer.goAway();
    await using next = await ExtProcPeer.connect(router.extprocPort);
    assertEquals(await ask(next, "next"), 200);
    await askMany(next);
    await endsWell(router);
  },
);
