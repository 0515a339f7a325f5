// The ADS server on the wire, over both transports: messages in parts, many Envoys, hostile peers.
import { assertEquals, assertMatch } from "@std/assert";
import { LISTENER_TYPE, ROUTE_TYPE } from "../../src/envoy/ads_types.ts";
import { adsSnapshot } from "../../src/envoy/ads_snapshot.ts";
import { ENVOY_DEFAULTS } from "../../src/envoy/options.ts";
import type { Serve } from "../../src/extproc/port.ts";
import { serve as serveGrpcJs } from "../../src/grpcjs/server.ts";
import { serveGrpc } from "../../src/h2/grpc_server.ts";
import { AdsPeer, requestBytes } from "../support/ads_peer.ts";
import { until } from "../support/until.ts";
import { connectPeers } from "./_flood.ts";
import { serveAds } from "./_world.ts";

const TRANSPORTS: readonly [name: string, serve: Serve][] = [
  ["native", serveGrpc],
  ["grpc-js", serveGrpcJs],
];

/** A first request with as many unknown bytes in its node as Envoy sends extensions. */
function bigRequest(bytes: number): Uint8Array {
  const node = requestBytes({ node: { id: "big", cluster: "c" }, typeUrl: LISTENER_TYPE });
  // Field 15 of the request, which we do not have: its tag, its length as a varint, the bytes.
  const length = [bytes & 0x7f | 0x80, bytes >> 7 & 0x7f | 0x80, bytes >> 14];
  const head = Uint8Array.of(...node, 0x7a, ...length);
  const whole = new Uint8Array(head.length + bytes);
  whole.set(head);
  return whole;
}

for (const [name, serve] of TRANSPORTS) {
  Deno.test(`${name}: a first request of 61 kB, in many frames, is answered`, async () => {
    await using ads = await serveAds(ENVOY_DEFAULTS, { serve });
    await using peer = await AdsPeer.dial(ads.bound.port);
    peer.sendBytes(bigRequest(61_000));
    assertEquals((await peer.response(LISTENER_TYPE)).resources.length, 1);
  });

  Deno.test(`${name}: a request above the limit and one that is none end in INVALID_ARGUMENT`, async () => {
    await using ads = await serveAds(ENVOY_DEFAULTS, { serve });
    await using large = await AdsPeer.dial(ads.bound.port);
    large.sendBytes(bigRequest(1_100_000));
    const end = await large.ended();
    assertEquals(end.code, 3);
    assertMatch(end.message, /longer than 1048576 bytes/);
    await using wrong = await AdsPeer.dial(ads.bound.port);
    wrong.sendBytes(Uint8Array.of(0xff));
    assertEquals(await wrong.ended(), { code: 3, message: "the request cannot be decoded" });
    await until("both to be gone", () => ads.server.streams === 0);
    assertEquals(ads.lines.filter(({ level }) => level === "error"), []);
  });

  Deno.test(`${name}: a hundred Envoys are told of a change; one that leaves is forgotten`, async () => {
    await using ads = await serveAds(ENVOY_DEFAULTS, { serve });
    await using parts = new AsyncDisposableStack();
    const peers = await connectPeers(ads.bound.port, 100);
    for (const peer of peers) parts.use(peer);
    assertEquals(ads.server.streams, 100);
    ads.server.setSnapshot(await adsSnapshot({ ...ENVOY_DEFAULTS, routeTimeoutMs: 1 }));
    await Promise.all(peers.map((peer) => peer.response(ROUTE_TYPE, 2)));
    assertEquals(peers.every((peer) => peer.of(LISTENER_TYPE).length === 1), true);
    peers[0]?.leave();
    peers[1]?.halfClose();
    assertEquals(await peers[1]?.ended(), { code: 0, message: "" });
    await until("both to be forgotten", () => ads.server.streams === 98);
  });

  Deno.test(`${name}: Envoys come back to a new server and are sent only what they lack`, async () => {
    const first = await serveAds(ENVOY_DEFAULTS, { serve });
    const [peer] = await connectPeers(first.bound.port, 1);
    const version = peer!.of(LISTENER_TYPE)[0]!.versionInfo;
    await first[Symbol.asyncDispose]();
    await peer!.ended();
    await peer![Symbol.asyncDispose]();
    await using second = await serveAds(ENVOY_DEFAULTS, { serve });
    await using again = await AdsPeer.dial(second.bound.port);
    again.ask(LISTENER_TYPE, [], version);
    again.ask(ROUTE_TYPE, ["atenet_routes"], "");
    await again.response(ROUTE_TYPE);
    assertEquals(again.of(LISTENER_TYPE), []);
    assertEquals(
      second.server.rows().find(({ type }) => type === "Listener")?.state,
      "accepted",
    );
  });
}
