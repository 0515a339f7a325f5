// Rules for an Envoy that takes its listeners from the router.
import { http2Options } from "./envoy_http2_rules.ts";
import type { EnvoyFindings } from "./envoy_findings.ts";
import type { EnvoyModel } from "./envoy_model.ts";
import { at, child, durationMsOf, items, textOf } from "./tree.ts";
import type { Node } from "./yaml.ts";

/** Envoy's own re-connects wait up to 24 s. */
const BACKOFF_MAX_MS = 5_000;

/** The ADS part of a bootstrap; nothing when there is none. */
export function checkXds(findings: EnvoyFindings, model: EnvoyModel): void {
  const dynamic = child(model.bootstrap, "dynamic_resources");
  const ads = child(dynamic, "ads_config");
  if (ads === undefined) return;
  for (const service of items(child(ads, "grpc_services"))) {
    checkAdsCluster(findings, model, service);
    checkReconnect(findings, service);
  }
  for (const name of ["lds_config", "cds_config"]) {
    const source = child(dynamic, name);
    if (source !== undefined) checkFirstFetch(findings, name, source);
  }
}

function checkAdsCluster(findings: EnvoyFindings, model: EnvoyModel, service: Node): void {
  const field = at(service, "envoy_grpc", "cluster_name");
  const cluster = model.clusters.get(textOf(field) ?? "");
  if (cluster === undefined || http2Options(cluster.node) !== undefined) return;
  findings.complain(cluster.node, {
    id: "envoy-http2",
    what: "ADS cluster http2_protocol_options",
    rule: "is not set",
    reason:
      "Envoy would wait for its listeners for ever, and envoy --mode validate does not find it",
    fix: "Set explicit_http_config: {http2_protocol_options: {}} in its HttpProtocolOptions",
  });
}

function checkReconnect(findings: EnvoyFindings, service: Node): void {
  const backOff = at(service, "envoy_grpc", "retry_policy", "retry_back_off");
  const maxMs = durationMsOf(child(backOff, "max_interval"));
  if (maxMs !== undefined && maxMs <= BACKOFF_MAX_MS) return;
  findings.complain(backOff ?? service, {
    id: "envoy-ads-reconnect",
    severity: "warning",
    what: "ADS retry_back_off",
    rule: backOff === undefined ? "is not set" : "waits longer than 5s",
    reason: "Envoy may come back up to 24s after the router",
    fix: "Set envoy_grpc.retry_policy.retry_back_off: {base_interval: 0.1s, max_interval: 1s}",
  });
}

function checkFirstFetch(findings: EnvoyFindings, name: string, source: Node): void {
  const field = child(source, "initial_fetch_timeout");
  if (durationMsOf(field) === 0) return;
  findings.complain(field ?? source, {
    id: "envoy-first-fetch",
    severity: "warning",
    what: `${name} initial_fetch_timeout`,
    value: textOf(field),
    rule: "is not 0s",
    reason: "Envoy would become ready without listeners when the router is late",
    fix: "Set initial_fetch_timeout: 0s",
  });
}
