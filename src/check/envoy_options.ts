// Settings -> what Envoy's configuration depends on. For `envoy`, which prints a bootstrap, and for
// whoever serves listeners and routes: both must say the same.
import type { EnvoyOptions, ResetCure } from "../envoy/options.ts";
import { ENVOY_DEFAULTS } from "../envoy/options.ts";
import type { Derived } from "./derived.ts";
import type { Settings } from "./settings.ts";

/** What the settings do not say. */
export interface EnvoyChoice {
  readonly resetCure: ResetCure;
  /** Listeners and routes from the router instead of from the bootstrap. */
  readonly ads: boolean;
}

/** @param values normalised and checked; `derived` follows from them. */
export function envoyOptions(
  values: Settings,
  derived: Derived,
  choice: EnvoyChoice,
): EnvoyOptions {
  return {
    ...ENVOY_DEFAULTS,
    ...choice,
    portHttp: values.portHttp,
    portHttps: values.portHttps,
    envoyCertPath: values.envoyCertPath,
    extprocAddress: values.extprocAddress,
    portExtproc: values.portExtproc,
    xdsAddress: values.xdsAddress,
    portXds: values.portXds,
    adminAddress: values.envoyAdminAddress,
    breaker: derived.breaker,
    maxConcurrentStreams: derived.breaker,
    messageTimeoutMs: derived.messageTimeoutMs,
    routeTimeoutMs: values.routeTimeoutMs,
    workerPort: values.workerPort,
    routeMode: values.routeMode,
    otlpCollectorAddress: values.otlpCollectorAddress,
  };
}
