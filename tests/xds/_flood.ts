// Many Envoys, most of them played: each connects, takes everything and stays.
import { LISTENER_TYPE, ROUTE_TYPE } from "../../src/envoy/ads_types.ts";
import { AdsPeer } from "../support/ads_peer.ts";

const ROUTES = ["atenet_routes"];

/** Connects `count` of them; each has taken listeners and routes when the promise resolves. */
export async function connectPeers(port: number, count: number): Promise<AdsPeer[]> {
  return await Promise.all(Array.from({ length: count }, async (_, i) => {
    const peer = await AdsPeer.dial(port, `fake-${i}`);
    peer.ask(LISTENER_TYPE);
    peer.ack(await peer.response(LISTENER_TYPE));
    peer.ask(ROUTE_TYPE, ROUTES);
    peer.ack(await peer.response(ROUTE_TYPE), ROUTES);
    return peer;
  }));
}
