// The ADS server of a router: what it serves follows from the settings and never changes while it
// runs; Envoys keep what they have when it is gone. Owner: app.
import { AdsServer } from "../envoy/ads_server.ts";
import { REQUEST_BYTES_MAX } from "../envoy/ads_message.ts";
import { adsSnapshot } from "../envoy/ads_snapshot.ts";
import type { BoundServer, Serve } from "../extproc/port.ts";
import { envoyOptionsOf } from "./options.ts";
import type { RouterOptions } from "./parts.ts";

/** An Envoy opens one; a little more lets a reconnect overlap with what it replaces. */
const STREAMS_PER_CONNECTION_MAX = 8;

export interface Xds {
  readonly server: AdsServer;
  readonly bound: BoundServer;
}

/** @throws {Error} when the address cannot be bound; the message names it. */
export async function startXds(
  { sourced, derived, log }: RouterOptions,
  serve: Serve,
): Promise<Xds> {
  const settings = sourced.values;
  const server = new AdsServer({
    // Of the options only the bootstrap knows the cure.
    snapshot: await adsSnapshot(envoyOptionsOf(settings, derived, "guard", true)),
    log: (level, msg, fields) => log.limited(level, msg, fields),
  });
  const bound = await serve({
    hostname: settings.xdsAddress,
    port: settings.portXds,
    maxConcurrentStreams: STREAMS_PER_CONNECTION_MAX,
    maxMessageBytes: REQUEST_BYTES_MAX,
    onFault: (what, error) => log.limited("warn", what, { error: String(error) }),
  }, server.open);
  return { server, bound };
}
