// What the router serves over ADS: listeners, routes and the certificate; clusters are in the
// bootstrap. One snapshot is a pure function of the options. Owned by the Envoy room.
import { type EnvoyOptions, servesHttps } from "./options.ts";
import { certificateSecret, listeners } from "./resources_listener.ts";
import { routeConfiguration } from "./resources_route.ts";
import type { Listener, RouteConfiguration, Secret } from "./types.ts";

/** The resources of one snapshot, by type. */
export interface AdsResources {
  readonly listeners: readonly Listener[];
  readonly routes: readonly RouteConfiguration[];
  readonly secrets: readonly Secret[];
}

/** Everything an Envoy with `ads` in its options asks for. */
export function adsResources(options: EnvoyOptions): AdsResources {
  const dynamic = { ...options, ads: true };
  return {
    listeners: listeners(dynamic),
    routes: [routeConfiguration(dynamic)],
    secrets: servesHttps(dynamic) ? [certificateSecret(dynamic)] : [],
  };
}
