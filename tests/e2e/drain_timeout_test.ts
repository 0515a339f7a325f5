// The drain timeout: what holds a shutdown up to it, what does not, and what is said of those cut.
import { assertEquals, assertGreaterOrEqual, assertLess } from "@std/assert";
import { ExtProcPeer } from "../support/ext_proc_peer.ts";
import { C0, OK, RX } from "../support/stack.ts";
import { startPeerStack } from "../support/peer_stack.ts";
import { TcpRelay } from "../support/tcp_relay.ts";

const FLAGS = { ...C0, "drain-delay": "0s", "drain-timeout": "3s" };

async function exitAfterMs(exit: Promise<number>): Promise<[code: number, tookMs: number]> {
  const startMs = performance.now();
  return [await exit, performance.now() - startMs];
}

for (const transport of ["native", "grpc-js"]) {
  Deno.test(`B07: ${transport}: answered streams and vanished peers do not hold the drain`, async () => {
    await using stack = await startPeerStack({ flags: { ...FLAGS, "grpc-transport": transport } });
    stack.script("warm", OK);
    // An Envoy that keeps answered streams open.
    const answered = stack.open("warm");
    assertEquals((await answered.next())?.response.case, "requestHeaders");
    // A peer whose packets go nowhere any more, neither FIN nor RST.
    await using relay = new TcpRelay(() => stack.router.extprocPort);
    await using vanished = await ExtProcPeer.connect(relay.port);
    assertEquals((await stack.open("warm", vanished).next())?.response.case, "requestHeaders");
    relay.freeze();
    stack.router.signal("SIGTERM");
    const [code, tookMs] = await exitAfterMs(stack.router.exit);
    assertEquals(code, 0);
    // 0.25 s of quiet, 1 s for the connections, and their close: not the drain timeout.
    assertLess(tookMs, 4_000);
    const [last] = stack.router.log().filter(({ msg }) => msg === "shutdown complete");
    assertEquals([last?.["reset"], last?.["remaining"]], [0, 0]);
  });
}

Deno.test("B07: a request of a vanished peer is cut at the drain timeout, and said", async () => {
  await using stack = await startPeerStack({ flags: FLAGS });
  stack.script("never", { kind: "hang" });
  await using relay = new TcpRelay(() => stack.router.extprocPort);
  await using vanished = await ExtProcPeer.connect(relay.port);
  stack.open("never", vanished);
  await stack.router.statusWhen("it waits", ({ engine }) => engine.callers === 1);
  relay.freeze();
  stack.router.signal("SIGTERM");
  const [code, tookMs] = await exitAfterMs(stack.router.exit);
  assertEquals(code, 3);
  assertGreaterOrEqual(tookMs, 2_900);
  // Drain timeout 3 s + 1 s; the rest is for a busy machine.
  assertLess(tookMs, 7_000);
  const log = stack.router.log();
  const step = (name: string) => log.find((line) => line["step"] === name);
  assertEquals([step("ext_proc")?.["end"], step("ext_proc")?.["left"]], ["timeout", 1]);
  assertEquals(step("close")?.["cut"], 1);
});

Deno.test("B73: a drain that cuts parked requests has a word of its own everywhere", async () => {
  const flags = { ...FLAGS, "drain-timeout": "2s", "metrics-listen-addr": "127.0.0.1:0" };
  await using stack = await startPeerStack({ flags });
  // Parked in an attempt that never ends, beside one shed, one left and one whose budget ends.
  stack.script("stuck", RX, { kind: "hang" });
  stack.script("budget", RX);
  const budget = stack.ask("budget");
  const stuck = [stack.open("stuck"), stack.open("stuck"), stack.open("stuck")];
  await stack.parked(4);
  const shed = stack.ask("budget");
  await shed;
  stuck[2]?.reset();
  await stack.parked(3);
  stack.router.signal("SIGTERM");
  await budget;
  const { counters } = await stack.router.statusWhen(
    "the end of the other's budget",
    ({ counters }) => counters.waits.budget_exhausted === 1,
  );
  assertEquals([counters.waits.canceled, counters.waits.served], [1, 0]);
  const ends = await Promise.all(stuck.slice(0, 2).map((stream) => stream.end));
  assertEquals(ends.map(({ grpcStatus }) => grpcStatus), [undefined, undefined], "no OK");
  assertEquals(await stack.router.exit, 3);
  const log = stack.router.log();
  const cut = log.filter((line) => line["outcome"] === "reset");
  assertEquals(cut.map((line) => line["park"]), ["error", "error"]);
  const [last] = log.filter(({ msg }) => msg === "shutdown complete");
  assertEquals(
    [last?.["budget_exhausted"], last?.["reset"], last?.["routed"], last?.["canceled"]],
    [1, 2, 0, 0],
  );
});
