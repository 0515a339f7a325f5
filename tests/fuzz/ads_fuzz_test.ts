// Fuzz target: what Envoys say on the ADS stream, as bytes, over two streams of one server while its
// configuration changes. Whatever comes: an answer or a refusal, bounded, and nothing unescaped is
// shown or logged. See _loop.ts. deno test -A tests/fuzz/ads_fuzz_test.ts
import { assert, assertEquals } from "@std/assert";
import { AdsServer } from "../../src/envoy/ads_server.ts";
import { adsSnapshot } from "../../src/envoy/ads_snapshot.ts";
import { LISTENER_TYPE, ROUTE_TYPE, SECRET_TYPE } from "../../src/envoy/ads_types.ts";
import { ENVOY_DEFAULTS } from "../../src/envoy/options.ts";
import { AdsPeer, requestBytes } from "../support/ads_peer.ts";
import { Random } from "../wire/support/random.ts";
import { changedTalk } from "./_change.ts";
import { Input } from "./_input.ts";
import { fuzz } from "./_loop.ts";

const SNAPSHOTS = await Promise.all([
  adsSnapshot({ ...ENVOY_DEFAULTS, envoyCertPath: "/run/certs/" }),
  adsSnapshot({ ...ENVOY_DEFAULTS, envoyCertPath: "/run/certs/", routeTimeoutMs: 1_000 }),
]);
const TYPES = [LISTENER_TYPE, ROUTE_TYPE, SECRET_TYPE, "x", "type.googleapis.com/a.B", ""];
const NAMES = ["atenet_routes", "atenet_certificate", "*", "", "x", "\u0007", "n".repeat(300)];
/** Responses to one stream between two configurations, and strings that are shown. */
const RESPONSES_MAX = 200;
const SHOWN_CHARS_MAX = 2_600;

function checkShown(text: string | number | null): void {
  if (typeof text !== "string") return;
  assert(/^[\x20-\x7e\u2026]*$/.test(text), `not printable: ${JSON.stringify(text)}`);
  assert(text.length <= SHOWN_CHARS_MAX, `too long: ${text.length}`);
}

function run({ seed, parts }: Input): string {
  const random = new Random(seed);
  const server = new AdsServer({
    snapshot: SNAPSHOTS[0]!,
    log: (_level, _msg, fields) => Object.values(fields).forEach(checkShown),
    streamsMax: 1 + random.below(3),
  });
  const peers = [AdsPeer.inMemory(server), AdsPeer.inMemory(server)];
  let changes = 1;
  for (const part of parts) {
    const peer = peers[random.below(peers.length)]!;
    peer.sendBytes(part);
    if (random.oneIn(20)) server.setSnapshot(SNAPSHOTS[changes++ % SNAPSHOTS.length]!);
    if (random.oneIn(50)) peer.halfClose();
    const rows = server.rows();
    assert(rows.length <= 100);
    for (const row of rows) Object.values(row).forEach(checkShown);
  }
  for (const peer of peers) {
    assert(peer.responses.length <= RESPONSES_MAX * changes);
    assertEquals(new Set(peer.responses.map(({ nonce }) => nonce)).size, peer.responses.length);
    assert([undefined, 0, 3, 8].includes(peer.end?.code), `ended with ${peer.end?.code}`);
    peer.leave();
  }
  assertEquals([server.streams, server.rows()], [0, []]);
  if (peers.some(({ end }) => end?.code === 3)) return "refused";
  return peers.some(({ responses }) => responses.length > 0) ? "served" : "heard";
}

/** A request; nonces are numbers from 1 on, so that some of them fit. */
function request(random: Random): Uint8Array {
  const nonce = random.oneIn(3) ? "" : String(1 + random.below(6));
  return requestBytes({
    typeUrl: random.pick(random.oneIn(8) ? TYPES : TYPES.slice(0, 3)),
    resourceNames: Array.from(
      { length: random.below(3) },
      () => random.pick(random.oneIn(8) ? NAMES : NAMES.slice(0, 3)),
    ),
    responseNonce: nonce,
    versionInfo: random.pick(["", "1", "v".repeat(random.below(300))]),
    ...(random.oneIn(2)
      ? { node: { id: random.pick(["e1", "\u001b[2J", ""]), cluster: "c" } }
      : {}),
    ...(random.oneIn(4) ? { errorDetail: { code: 13, message: random.pick(NAMES) } } : {}),
  });
}

Deno.test("fuzz: whatever an Envoy says on the ADS stream is answered or refused", () =>
  fuzz({
    name: "ads",
    form: "talk",
    fresh: (random) =>
      new Input(random.next(), Array.from({ length: 1 + random.below(20) }, () => request(random))),
    changed: (random, talk, other) => changedTalk(random, talk, other),
    run,
    outcomes: ["served", "heard", "refused"],
    breeds: ["served", "heard"],
  }));
