// What Envoy is told follows from the settings: where it listens, and that both ways to tell it agree.
import { assertEquals } from "@std/assert";
import { envoyOptionsOf } from "../../src/app/options.ts";
import { derive } from "../../src/check/derived.ts";
import { listeners } from "../../src/check/listener_rules.ts";
import { adsResources } from "../../src/envoy/ads_resources.ts";
import { envoyBootstrap } from "../../src/envoy/bootstrap.ts";
import type { Listener } from "../../src/envoy/types.ts";
import { settingsOf } from "../check/settings_of.ts";

const CERTIFICATE = "/run/certs/";

/** Envoy's listeners, by the bootstrap and by ADS. */
function envoyListeners(statusAddress: string): readonly (readonly Listener[])[] {
  const { values } = settingsOf({ statusAddress, envoyCertPath: CERTIFICATE });
  const options = envoyOptionsOf(values, derive(values), "guard", false);
  const served = adsResources({ ...options, ads: true }).listeners;
  return [envoyBootstrap(options).static_resources.listeners ?? [], served];
}

Deno.test("Envoy listens on IPv6 and IPv4 when the status server is on IPv6, on IPv4 else", () => {
  const rows = [
    ["0.0.0.0", { address: "0.0.0.0" }],
    ["127.0.0.1", { address: "0.0.0.0" }],
    ["10.1.2.3", { address: "0.0.0.0" }],
    ["::", { address: "::", ipv4_compat: true }],
    ["::1", { address: "::", ipv4_compat: true }],
    ["fd00::2", { address: "::", ipv4_compat: true }],
  ] as const;
  for (const [statusAddress, where] of rows) {
    for (const all of envoyListeners(statusAddress)) {
      assertEquals(
        all.map(({ address }) => address.socket_address),
        [8080, 8443].map((port_value) => ({ ...where, port_value })),
        statusAddress,
      );
    }
  }
});

Deno.test("the rules know the addresses that Envoy binds", () => {
  for (const statusAddress of ["0.0.0.0", "::"]) {
    const { values } = settingsOf({ statusAddress, envoyCertPath: CERTIFICATE });
    const known = listeners(values)
      .filter(({ setting }) => setting === "portHttp" || setting === "portHttps")
      .map(({ host, port }) => `${host} ${port}`);
    const [bound] = envoyListeners(statusAddress);
    const real = bound?.map(({ address: { socket_address: { address, port_value } } }) =>
      `${address} ${port_value}`
    );
    assertEquals(known, real, statusAddress);
  }
});
