// The ADS server and its streams, in memory: order of pushes, nonces, what is shown and logged, and
// what a hostile peer gets.
import { assertEquals, assertMatch } from "@std/assert";
import { AdsServer } from "../../src/envoy/ads_server.ts";
import { type AdsSnapshot, adsSnapshot } from "../../src/envoy/ads_snapshot.ts";
import { LISTENER_TYPE, ROUTE_TYPE, SECRET_TYPE } from "../../src/envoy/ads_types.ts";
import { ENVOY_DEFAULTS, type EnvoyOptions } from "../../src/envoy/options.ts";
import { AdsPeer, requestBytes, type RequestShape } from "../support/ads_peer.ts";

const CLUSTER_TYPE = "type.googleapis.com/envoy.config.cluster.v3.Cluster";
const HTTPS = { ...ENVOY_DEFAULTS, envoyCertPath: "/run/certs/" };

interface Line {
  readonly level: string;
  readonly msg: string;
  readonly [field: string]: string | number;
}

/** A server and what it logged. */
async function serverOf(
  options: EnvoyOptions = HTTPS,
  streamsMax = 512,
): Promise<{ server: AdsServer; lines: Line[] }> {
  const lines: Line[] = [];
  const server = new AdsServer({
    snapshot: await adsSnapshot(options),
    log: (level, msg, fields) => lines.push({ level, msg, ...fields }),
    streamsMax,
  });
  return { server, lines };
}

function versionOf(snapshot: AdsSnapshot, typeUrl: string): string {
  return snapshot.get(typeUrl)!.version;
}

/** An Envoy that has taken everything. */
function settled(server: AdsServer, nodeId = "e1"): AdsPeer {
  const peer = AdsPeer.inMemory(server, nodeId);
  peer.ask(LISTENER_TYPE);
  peer.ack(peer.of(LISTENER_TYPE)[0]!);
  peer.ask(ROUTE_TYPE, ["atenet_routes"]);
  peer.ack(peer.of(ROUTE_TYPE)[0]!, ["atenet_routes"]);
  peer.ask(SECRET_TYPE, ["atenet_certificate"]);
  peer.ack(peer.of(SECRET_TYPE)[0]!, ["atenet_certificate"]);
  return peer;
}

Deno.test("an Envoy gets every type it asks for, each with a nonce of its own", async () => {
  const { server } = await serverOf();
  const peer = settled(server);
  assertEquals(peer.responses.map(({ typeUrl }) => typeUrl), [
    LISTENER_TYPE,
    ROUTE_TYPE,
    SECRET_TYPE,
  ]);
  assertEquals(new Set(peer.responses.map(({ nonce }) => nonce)).size, 3);
  assertEquals(peer.responses.map(({ resources }) => resources.length), [2, 1, 1]);
  for (const { typeUrl, versionInfo } of peer.responses) {
    assertEquals(versionInfo, versionOf(server.snapshot, typeUrl));
  }
  assertEquals(server.rows().map(({ envoy, type, state }) => [envoy, type, state]), [
    ["e1", "Listener", "accepted"],
    ["e1", "RouteConfiguration", "accepted"],
    ["e1", "Secret", "accepted"],
  ]);
});

Deno.test("a change is pushed to every Envoy at once, listeners before routes before secrets", async () => {
  const { server } = await serverOf();
  const peers = ["e1", "e2", "e3"].map((id) => settled(server, id));
  server.setSnapshot(
    await adsSnapshot({
      ...HTTPS,
      messageTimeoutMs: 1_000,
      routeTimeoutMs: 1_000,
      envoyCertPath: "/run/new/",
    }),
  );
  for (const { responses } of peers) {
    assertEquals(responses.slice(3).map(({ typeUrl }) => typeUrl), [
      LISTENER_TYPE,
      ROUTE_TYPE,
      SECRET_TYPE,
    ]);
  }
});

Deno.test("what did not change is not pushed, nor what was not asked for", async () => {
  const { server } = await serverOf();
  const peer = settled(server);
  const bare = AdsPeer.inMemory(server, "e2");
  bare.ask(LISTENER_TYPE);
  server.setSnapshot(await adsSnapshot({ ...HTTPS }));
  assertEquals([peer.responses.length, bare.responses.length], [3, 1]);
  server.setSnapshot(await adsSnapshot({ ...HTTPS, routeTimeoutMs: 1 }));
  assertEquals([peer.responses.length, bare.responses.length], [4, 1]);
  assertEquals(peer.responses[3]?.typeUrl, ROUTE_TYPE);
});

Deno.test("a refusal is shown with its reason and logged once per version, cut and escaped", async () => {
  const { server, lines } = await serverOf();
  const peers = [settled(server, "e1"), settled(server, "e2")];
  const before = versionOf(server.snapshot, ROUTE_TYPE);
  const why = `bad\u0007 route\n${"x".repeat(500)}`;
  const refused = () => lines.filter(({ msg }) => msg === "Envoy refused the configuration");
  const refuse = async (routeTimeoutMs: number) => {
    server.setSnapshot(await adsSnapshot({ ...HTTPS, routeTimeoutMs }));
    for (const peer of peers) peer.nack(peer.responses.at(-1)!, why, ["atenet_routes"]);
  };
  await refuse(1);
  const now = versionOf(server.snapshot, ROUTE_TYPE);
  const shown = `bad  route ${"x".repeat(500)}`.slice(0, 256);
  assertEquals(
    server.rows().slice(0, 2),
    ["e1", "e2"].map((envoy) => ({
      envoy,
      type: "RouteConfiguration",
      version: now,
      state: "rejected",
      error: shown,
      in_use: before,
    })),
  );
  assertEquals(refused(), [{
    level: "warn",
    msg: "Envoy refused the configuration",
    node: "e1",
    type: "RouteConfiguration",
    version: now,
    error: shown,
  }]);
  assertEquals(peers.map(({ responses }) => responses.length), [4, 4], "not sent again");
  await refuse(2);
  assertEquals(refused().length, 2);
  server.setSnapshot(await adsSnapshot(HTTPS));
  for (const peer of peers) peer.ack(peer.responses.at(-1)!, ["atenet_routes"]);
  assertEquals(server.rows().every(({ state }) => state === "accepted"), true);
});

Deno.test("rows are for connected Envoys, at most 100, refusals first", async () => {
  const { server } = await serverOf();
  const peers = Array.from({ length: 60 }, (_, i) => settled(server, `e${i}`));
  const last = AdsPeer.inMemory(server, "last");
  last.ask(LISTENER_TYPE);
  last.nack(last.responses[0]!, "no");
  const rows = server.rows();
  assertEquals([rows.length, rows[0]?.envoy, rows[0]?.in_use], [100, "last", null]);
  for (const peer of [...peers, last]) peer.leave();
  assertEquals([server.rows(), server.streams], [[], 0]);
});

Deno.test("a type that is not served is answered with none of it, once", async () => {
  const { server } = await serverOf();
  const peer = AdsPeer.inMemory(server);
  for (const names of [[], ["x"]]) {
    const typeUrl = `${CLUSTER_TYPE}${names}`;
    peer.ask(typeUrl, names);
    peer.ack(peer.of(typeUrl)[0]!, names);
    assertEquals(peer.of(typeUrl).map(({ resources }) => resources), [[]]);
  }
  server.setSnapshot(await adsSnapshot({ ...HTTPS, routeTimeoutMs: 1 }));
  assertEquals(peer.responses.length, 2);
  assertEquals(server.rows().map(({ type, version }) => [type, version]), [
    ["Cluster", "none"],
    ["Clusterx", "none"],
  ]);
});

Deno.test("node is needed in the first request only", async () => {
  const { server, lines } = await serverOf();
  const peer = AdsPeer.inMemory(server, 'a"\u001b\n'.padEnd(100, "é"));
  peer.ask(LISTENER_TYPE);
  peer.send({ typeUrl: ROUTE_TYPE, node: { id: "other" } });
  assertEquals(peer.end, undefined);
  assertMatch(server.rows()[0]!.envoy, /^a\\"\\x1b\\x0a(\\xe9){60}$/);
  assertEquals(lines.filter(({ msg }) => msg === "Envoy connected over xDS").length, 1);
  const nobody = AdsPeer.inMemory(server);
  nobody.node = undefined;
  nobody.ask(LISTENER_TYPE);
  assertEquals(nobody.end, { code: 3, message: "the first request does not say node.id" });
});

Deno.test("a first request of 61 kB is read", async () => {
  const { server } = await serverOf();
  const peer = AdsPeer.inMemory(server);
  const bytes = requestBytes({ node: { id: "big", cluster: "c" }, typeUrl: LISTENER_TYPE });
  // The extensions an Envoy lists are a field of the node that we do not know.
  const unknown = Uint8Array.of(0x4a, 0xa0, 0xdc, 0x03, ...new Uint8Array(60_960).fill(0x61));
  const node = requestBytes({ node: { id: "big" } });
  peer.sendBytes(Uint8Array.of(0x12, 0xa9, 0xdc, 0x03, ...node.subarray(2), ...unknown, ...bytes));
  assertEquals(peer.end, undefined);
  assertEquals(peer.responses.length, 1);
});

const HOSTILE: readonly [name: string, request: RequestShape | Uint8Array, why: RegExp][] = [
  ["bytes that are no protobuf", Uint8Array.of(0xff, 0xff, 0xff), /cannot be decoded/],
  ["a field that is cut off", Uint8Array.of(0x12, 0x7f, 0x0a), /cannot be decoded/],
  ["a wrong wire type", Uint8Array.of(0x0d, 1, 2, 3), /cannot be decoded/],
  ["nothing at all", new Uint8Array(), /names no type/],
  ["no type", { node: { id: "x" } }, /names no type/],
  ["a long type", { typeUrl: "t".repeat(257) }, /word longer than 256/],
  ["a long name", { typeUrl: "t", resourceNames: ["n".repeat(257)] }, /word longer than 256/],
  ["a long version", { typeUrl: "t", versionInfo: "v".repeat(257) }, /word longer than 256/],
  ["a long nonce", { typeUrl: "t", responseNonce: "n".repeat(257) }, /word longer than 256/],
  ["a long node id", { typeUrl: "t", node: { id: "n".repeat(257) } }, /word longer than 256/],
  ["many names", { typeUrl: "t", resourceNames: Array(101).fill("n") }, /more than 100 names/],
];

Deno.test("what no Envoy would send ends the stream with INVALID_ARGUMENT", async () => {
  const { server } = await serverOf();
  for (const [name, request, why] of HOSTILE) {
    const peer = AdsPeer.inMemory(server);
    if (request instanceof Uint8Array) peer.sendBytes(request);
    else peer.send(request);
    assertEquals(peer.end?.code, 3, name);
    assertMatch(peer.end?.message ?? "", why, name);
  }
  assertEquals(server.streams, 0);
});

Deno.test("types, responses and streams are bounded", async () => {
  const { server } = await serverOf(HTTPS, 2);
  const types = AdsPeer.inMemory(server);
  for (let i = 0; i < 17; i++) types.ask(`type${i}`, ["x"]);
  assertEquals(types.end, { code: 3, message: "more than 16 types" });
  const changes = AdsPeer.inMemory(server);
  changes.ask(ROUTE_TYPE, ["a"]);
  for (let i = 0; i < 500 && changes.end === undefined; i++) {
    changes.ack(changes.responses.at(-1)!, [`${i}`]);
  }
  assertEquals(changes.end, { code: 3, message: "more than 200 changes" });
  assertEquals(changes.responses.length, 200);
  const [one, two, three] = [1, 2, 3].map(() => AdsPeer.inMemory(server));
  assertEquals([one, two, three].map((peer) => peer?.end?.code), [undefined, undefined, 8]);
  one?.leave();
  assertEquals(AdsPeer.inMemory(server).end, undefined);
});

Deno.test("a new snapshot gives a stream new changes; what was refused of the old is forgotten", async () => {
  const { server, lines } = await serverOf();
  const peer = AdsPeer.inMemory(server);
  peer.ask(ROUTE_TYPE, ["a"]);
  const change = (count: number) => {
    for (let i = 0; i < count; i++) peer.ack(peer.responses.at(-1)!, [`${i}`]);
  };
  change(150);
  server.setSnapshot(await adsSnapshot({ ...HTTPS, routeTimeoutMs: 1 }));
  change(150);
  assertEquals([peer.end, peer.responses.length], [undefined, 302]);
  const refuse = () => {
    for (const at of Array.from({ length: 80 }).keys()) {
      const other = AdsPeer.inMemory(server, `e${at}`);
      other.ask(`x.Type${at}`, ["n"]);
      other.nack(other.responses[0]!, "no", ["n"]);
      other.leave();
    }
    return lines.filter(({ level }) => level === "warn").length;
  };
  assertEquals([refuse(), refuse()], [64, 64], "types that peers make up are bounded");
  server.setSnapshot(server.snapshot);
  assertEquals(refuse(), 128);
});

Deno.test("random bytes never throw and never leave a stream behind", async () => {
  const { server } = await serverOf();
  const good = requestBytes({ node: { id: "e" }, typeUrl: ROUTE_TYPE, resourceNames: ["r"] });
  let state = 12345;
  const random = () => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31);
  for (let i = 0; i < 3_000; i++) {
    const bytes = good.slice(0, 1 + random() % good.length);
    for (let flips = random() % 4; flips > 0; flips--) bytes[random() % bytes.length] = random();
    const peer = AdsPeer.inMemory(server);
    peer.sendBytes(bytes);
    if (peer.end !== undefined) assertEquals(peer.end.code, 3);
    peer.leave();
  }
  assertEquals(server.streams, 0);
});

Deno.test("only the state-of-the-world stream is served", async () => {
  const { server } = await serverOf();
  const base = "/envoy.service.discovery.v3.AggregatedDiscoveryService/";
  assertEquals(AdsPeer.inMemory(server, "e", `${base}DeltaAggregatedResources`).end?.code, 12);
  assertEquals(AdsPeer.inMemory(server, "e", `${base}StreamAggregatedResources`).end, undefined);
});
