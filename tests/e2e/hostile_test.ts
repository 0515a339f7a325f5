// Hostile clients on every port of the router, and of Envoy, while requests are parked and others go
// through: nobody else notices, memory and descriptors are bounded, and afterwards all is as before.
// Native only: on grpc-js these bounds are those of the library below it.
import { assert, assertEquals, assertLess } from "@std/assert";
import { ADS_PATH } from "../../src/envoy/ads_server.ts";
import { LISTENER_TYPE } from "../../src/envoy/ads_types.ts";
import { corpusOf } from "../fuzz/_corpus.ts";
import {
  concat,
  END_STREAM,
  frame,
  grpcHead,
  headers,
  PREFACE,
  reset,
  settings,
  text,
} from "../h2/_frames.ts";
import { AdsPeer } from "../support/ads_peer.ts";
import { PROCESS_PATH } from "../support/ext_proc_messages.ts";
import { ExtProcPeer } from "../support/ext_proc_peer.ts";
import { KeptConnections, steadyTraffic, type Traffic } from "../support/traffic.ts";
import { descriptors, rssOf } from "../support/measure.ts";
import { hostOf, OK, RX, type Stack, startStack } from "../support/stack.ts";
import { until } from "../support/until.ts";
import { Crowd } from "./_hostile.ts";

const PARKED = 20;
const WARM_PER_SECOND = 100;
const HALF_OPEN = 500;
/** What hostile clients may cost in memory while they are there: thousands of connections. */
const RSS_GROWTH_BYTES_MAX = 150 * 1024 * 1024;
/** Lines that they may cause in the log. */
const LOG_LINES_MAX = 50;
/** Longest bound on a connection that says nothing of use, 10 s, and the looks for it. */
const ENDED_MS_MAX = 25_000;
/** Where nothing is waited for, on a busy machine. */
const AT_ONCE_MS_MAX = 8_000;
/** Half as many again as one connection may cause. */
const RESETS = 15_000;

const HI = concat(PREFACE, settings());
const GARBAGE = Array.from({ length: 8 }, () => crypto.getRandomValues(new Uint8Array(20_000)));
const CLIENT_HELLO = concat([0x16, 3, 1, 0x02, 0, 1, 0, 0x01, 0xfc, 3, 3], new Uint8Array(505));

interface Ports {
  readonly extproc: number;
  readonly xds: number;
  readonly status: number;
  readonly metrics: number;
  readonly envoy: number;
}

function portsOf({ router, envoy }: Stack): Ports {
  const ready = router.log().find(({ msg }) => msg === "ready");
  const bound = (name: string) => Number(String(ready?.[name]).split(":").at(-1));
  return {
    extproc: bound("extproc"),
    xds: bound("xds"),
    status: bound("status"),
    metrics: bound("metrics"),
    envoy: envoy.httpPort,
  };
}

/** Bytes of another protocol, or of none, on every port. */
async function otherProtocols(ports: Ports): Promise<void> {
  await using crowd = new Crowd();
  const hello = "GET /statusz HTTP/1.1\r\nhost: x\r\n\r\n";
  for (const port of Object.values(ports)) {
    await crowd.add(port, 8, (client, i) => client.say(GARBAGE[i]!));
    await crowd.add(port, 8, (client) => client.say(CLIENT_HELLO));
    await crowd.add(port, 8, (client) => client.say(text("\r\n\r\n\0\0\0\r\n\r\n")));
  }
  for (const port of [ports.extproc, ports.xds]) {
    await crowd.add(port, 8, (client) => client.say(text(hello)));
  }
  for (const port of [ports.status, ports.metrics]) {
    await crowd.add(port, 8, (client) => client.say(HI));
  }
  await crowd.allEnded("other protocols", ENDED_MS_MAX);
}

/** Heads beyond reason, requests ahead of their answers, answers that nobody reads. */
async function pages(ports: Ports): Promise<void> {
  const lines = (...more: string[]) =>
    text(["GET /statusz HTTP/1.1", ...more, "", ""].join("\r\n"));
  const heads = [
    lines(`x: ${"v".repeat(1 << 20)}`),
    lines(...Array.from({ length: 20_000 }, (_, i) => `x-${i}: v`)),
    text(`GET /${"p".repeat(1 << 20)} HTTP/1.1\r\n\r\n`),
    lines("host: ]["),
    lines("content-length: 99999999999", "transfer-encoding: chunked"),
    lines("no colon"),
    text("GET /statusz HTTP/1.1\r\n\r\n".repeat(1_000)),
    text(`POST /statusz HTTP/1.1\r\ncontent-length: 9999999\r\n\r\n${"b".repeat(1 << 20)}`),
  ];
  await using crowd = new Crowd();
  for (const port of [ports.status, ports.metrics]) {
    await crowd.add(port, heads.length, (client, i) => client.say(heads[i]!));
  }
  await crowd.allEnded("heads beyond reason", ENDED_MS_MAX);
  const answers = crowd.clients.filter(({ heard }) => heard.startsWith("HTTP/1.1 "));
  // A client that goes on sending after its answer may lose it, but nobody gets anything else.
  assert(answers.length >= heads.length, `${answers.length} answers`);
  assertEquals(crowd.clients.filter(({ heard }) => heard !== "" && !heard.startsWith("HTTP")), []);
}

/** Frames that a fuzz target once found worth keeping, on real sockets. */
async function keptFrames({ extproc, xds }: Ports): Promise<void> {
  for (const port of [extproc, xds]) {
    await using crowd = new Crowd();
    const kept = corpusOf("h2_server", "talk");
    await crowd.add(port, kept.length, async (client, i) => {
      for (const part of kept[i]!.input.parts) await client.say(part);
    });
    const answered = () => crowd.clients.filter(({ heard, ended }) => heard !== "" || ended).length;
    await until("an answer to all frames", () => answered() === kept.length);
  }
}

/** Floods of frames on a port that serves `path`: each is a violation or an attack. */
function floodsOf(path: string): Uint8Array[] {
  const first = headers(1, grpcHead(path));
  const open = headers(1, grpcHead(path), 0);
  const rest = (flags: number, bytes: number) =>
    frame("CONTINUATION", flags, 1, new Uint8Array(bytes));
  const repeated = (count: number, make: (i: number) => Uint8Array, begin = HI) =>
    concat(begin, ...Array.from({ length: count }, (_, i) => make(i)));
  const rapid = (i: number) => concat(headers(2 * i + 1, grpcHead(path)), reset(2 * i + 1));
  return [
    repeated(RESETS, rapid),
    repeated(5_000, () => frame("PING", 0, 0, new Uint8Array(8))),
    repeated(5_000, () => settings()),
    repeated(5_000, () => rest(0, 0), concat(HI, open)),
    repeated(50, () => rest(0, 16_000), concat(HI, open)),
    repeated(5_000, () => frame("DATA", 0, 1), concat(HI, first)),
    repeated(5_000, (i) => reset(2 * i + 1)),
    repeated(2_000, () => frame("HEADERS", 4 | END_STREAM, 1, [0xbf])),
  ];
}

/** Made before anybody waits: the control plane of these tests lives in this process too. */
const FLOODS = { extproc: floodsOf(PROCESS_PATH), xds: floodsOf(ADS_PATH) };

/** Floods of frames: each ends its own connection, at once. */
async function floods({ extproc, xds }: Ports): Promise<void> {
  await using crowd = new Crowd();
  for (const [port, waves] of [[extproc, FLOODS.extproc], [xds, FLOODS.xds]] as const) {
    await crowd.add(port, waves.length, (client, i) => client.say(waves[i]!));
  }
  await crowd.allEnded("floods", AT_ONCE_MS_MAX);
}

/** Every port has an answer for a client that keeps to the rules. */
async function answersAll(ports: Ports): Promise<void> {
  for (const [port, path] of [[ports.status, "healthz"], [ports.metrics, "metrics"]]) {
    const response = await fetch(`http://127.0.0.1:${port}/${path}`);
    await response.body?.cancel();
    assertEquals(response.status, 200, `${path}`);
  }
  await using ads = await AdsPeer.dial(ports.xds);
  ads.ask(LISTENER_TYPE);
  assertEquals((await ads.response(LISTENER_TYPE)).typeUrl, LISTENER_TYPE);
  await using peer = await ExtProcPeer.connect(ports.extproc);
  const { reply } = await peer.ask([[":authority", hostOf("direct")], [":path", "/"]]);
  assertEquals(reply?.response.case, "requestHeaders");
}

/** Silent and slow clients by the hundred; while they are there, others are answered. */
async function halfOpen(ports: Ports, pid: number): Promise<void> {
  const before = descriptors(pid).count;
  await using crowd = new Crowd();
  for (const port of [ports.extproc, ports.xds, ports.status, ports.metrics]) {
    await crowd.add(port, HALF_OPEN);
    const slow = port === ports.extproc || port === ports.xds ? HI : text("GET /statusz HTTP/1.1");
    await crowd.add(port, 20, (client) => client.drip(slow, 700));
  }
  await answersAll(ports);
  console.log(`descriptors: ${before}, with half-open clients ${descriptors(pid).count}`);
  await crowd.allEnded("silent and slow clients", ENDED_MS_MAX);
  await until("their descriptors", () => descriptors(pid).count <= before + 10);
}

/** Samples memory until it is stopped. */
function watchRss(pid: number): { growth(): number; stop(): void } {
  const startBytes = rssOf(pid);
  let most = startBytes;
  const timer = setInterval(() => most = Math.max(most, rssOf(pid)), 100);
  return { growth: () => most - startBytes, stop: () => clearInterval(timer) };
}

async function stopped(traffic: Traffic): Promise<void> {
  const { total, failed, slowestMs } = await traffic.stop();
  console.log(`${total} warm requests, slowest ${slowestMs.toFixed(0)} ms`);
  assertEquals(failed, []);
  assert(total > WARM_PER_SECOND, `${total} requests`);
}

Deno.test("hostile clients on every port: no request through Envoy notices", async (t) => {
  await using stack = await startStack({
    flags: { "parked-request-budget": "60s", "metrics-listen-addr": "127.0.0.1:0" },
  });
  const parked = Array.from({ length: PARKED }, (_, i) => `p${i}`);
  for (const id of parked) stack.script(id, RX);
  const warm = Array.from({ length: 20 }, (_, i) => `w${i}`);
  for (const id of [...warm, "direct"]) stack.script(id, OK);
  const replies = Promise.allSettled(parked.map((id) => stack.ask(id)));
  await stack.parked(PARKED);
  const ports = portsOf(stack);
  const { pid } = stack.router;
  using kept = new KeptConnections(ports.envoy);
  let next = 0;
  const traffic = steadyTraffic(
    WARM_PER_SECOND,
    () => kept.request({ host: hostOf(warm[next++ % warm.length]!) }),
  );
  const rss = watchRss(pid);
  const lines = stack.router.log().length;
  try {
    await t.step("bytes of other protocols, or of none", () => otherProtocols(ports));
    await t.step("heads beyond reason, and requests sent ahead", () => pages(ports));
    await t.step("frames that are wrong in every way", () => keptFrames(ports));
    await t.step("floods of frames", () => floods(ports));
    await t.step("hundreds of silent and slow clients", () => halfOpen(ports, pid));
    await t.step("every port answers", () => answersAll(ports));
  } finally {
    rss.stop();
    await traffic.stop();
  }
  await stopped(traffic);
  console.log(`memory grew by ${(rss.growth() / 2 ** 20).toFixed(0)} MiB at most`);
  assertLess(rss.growth(), RSS_GROWTH_BYTES_MAX);
  const { parking, envoy, health } = await stack.parked(PARKED);
  assertEquals([parking.active, envoy.connections, health.problems], [PARKED, 1, []]);
  for (const id of parked) stack.script(id, OK);
  const lost = (await replies).filter((one) =>
    one.status !== "fulfilled" || one.value.status !== 200
  );
  assertEquals(lost, []);
  const { counters } = await stack.quiet();
  assertEquals([counters.bugs, counters.waits.served, counters.waits.canceled], [0, PARKED, 0]);
  const said = stack.router.log().slice(lines).filter(({ level }) => level !== "debug");
  assertLess(said.length, LOG_LINES_MAX, JSON.stringify(said.slice(0, 20)));
  assertEquals(said.filter(({ level }) => level === "error"), []);
  assertEquals(stack.router.complaints(), []);
});
