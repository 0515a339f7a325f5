// From the settings to what each room is started with. Pure. Owner: app.
import type { Settings } from "../check/settings.ts";
import type { Credentials } from "../controlplane/port.ts";
import { everyHost } from "../envoy/address.ts";
import { ENVOY_DEFAULTS, type EnvoyOptions, type ResetCure } from "../envoy/options.ts";
import type { Derived } from "../check/derived.ts";

/** How the control plane is asked. The settings have been checked: no file name is missing. */
export function credentialsOf(settings: Settings): Credentials {
  const { ateapiCaFile: caFile, ateapiClientCert: certFile, ateapiTokenFile: tokenFile } = settings;
  switch (settings.ateapiAuth) {
    case "insecure":
      return { kind: "insecure" };
    case "mtls":
      return { kind: "mtls", caFile, certFile, keyFile: settings.ateapiClientKey || certFile };
    case "jwt":
      return { kind: "jwt", caFile, tokenFile };
  }
}

/** Envoy's configuration for these settings. */
export function envoyOptionsOf(
  settings: Settings,
  derived: Derived,
  resetCure: ResetCure,
  ads: boolean,
): EnvoyOptions {
  return {
    ...ENVOY_DEFAULTS,
    listenAddress: everyHost(settings.statusAddress),
    portHttp: settings.portHttp,
    portHttps: settings.portHttps,
    envoyCertPath: settings.envoyCertPath,
    extprocAddress: settings.extprocAddress,
    portExtproc: settings.portExtproc,
    xdsAddress: settings.xdsAddress,
    portXds: settings.portXds,
    adminAddress: settings.envoyAdminAddress,
    breaker: derived.breaker,
    maxConcurrentStreams: Math.max(ENVOY_DEFAULTS.maxConcurrentStreams, derived.breaker),
    messageTimeoutMs: derived.messageTimeoutMs,
    routeTimeoutMs: settings.routeTimeoutMs,
    workerPort: settings.workerPort,
    routeMode: settings.routeMode,
    resetCure,
    otlpCollectorAddress: settings.otlpCollectorAddress,
    ads,
  };
}
