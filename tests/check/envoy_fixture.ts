// An Envoy configuration for rule tests: what we print ourselves, with one thing changed.
import { parse, stringify } from "yaml";
import { envoyOptionsOf } from "../../src/app/options.ts";
import { checkEnvoyConfig } from "../../src/check/envoy_config.ts";
import { checkFlags } from "../../src/check/flags.ts";
import type { Problem, Settings } from "../../src/check/settings.ts";
import { parseYaml } from "../../src/check/yaml.ts";
import { envoyBootstrap } from "../../src/envoy/bootstrap.ts";
import { printBootstrap } from "../../src/envoy/print.ts";
import { settingsOf } from "./settings_of.ts";

// deno-lint-ignore no-explicit-any
export type Loose = any;

/** The parts of a printed bootstrap that tests change. */
export interface Parts {
  readonly root: Loose;
  readonly manager: Loose;
  readonly filter: Loose;
  readonly extproc: Loose;
  /** HttpProtocolOptions of the ext_proc cluster. */
  readonly http: Loose;
  readonly workers: Loose;
  /** Common HTTP options of the worker clusters: HTTP/1.1, gRPC. */
  readonly workerHttp: readonly Loose[];
}

export type Change = (parts: Parts) => void;

/** Our bootstrap for these settings, as an object. */
export function printed(explicit: Partial<Settings>, ads = false): Loose {
  const { effective, derived } = checkFlags(settingsOf(explicit));
  const options = envoyOptionsOf(effective.values, derived, "guard", ads);
  return parse(printBootstrap(envoyBootstrap(options), "yaml"));
}

/** Takes a bootstrap apart. */
export function partsOf(root: Loose): Parts {
  const { listeners, clusters } = root.static_resources;
  const manager = listeners?.[0].filter_chains[0].filters[0].typed_config;
  const filter = manager?.http_filters
    .find(({ name }: Loose) => name === "envoy.filters.http.ext_proc").typed_config;
  const named = (name: string) => clusters.find((cluster: Loose) => cluster.name === name);
  const httpOf = (cluster: Loose): Loose =>
    Object.values(cluster.typed_extension_protocol_options)[0];
  const extproc = named("atenet_extproc");
  const workers = named("atenet_workers");
  return {
    root,
    manager,
    filter,
    extproc,
    http: httpOf(extproc),
    workers,
    workerHttp: [workers, named("atenet_workers_grpc")]
      .map((cluster) => httpOf(cluster).common_http_protocol_options),
  };
}

/** Problems of a text, held against these settings. */
export function problemsOf(text: string, explicit: Partial<Settings>): readonly Problem[] {
  const { documents: [root], faults } = parseYaml(text);
  if (root === undefined) throw new Error(`Cannot parse as YAML: ${JSON.stringify(faults)}`);
  const { effective, derived } = checkFlags(settingsOf(explicit));
  const expectation = { settings: effective.values, derived };
  return checkEnvoyConfig(root, { file: "envoy.yaml", lineOffset: 0 }, expectation);
}

/** `error id what=value` of what a change of our own bootstrap brings about. */
export function found(change: Change, explicit: Partial<Settings> = {}, ads = false): string[] {
  const root = printed(explicit, ads);
  change(partsOf(root));
  return problemsOf(stringify(root), explicit).map(summary);
}

export function summary({ severity, id, flag, value }: Problem): string {
  const what = flag.replace(/^Envoy /, "");
  return `${severity} ${id} ${what}${value === undefined ? "" : `=${value}`}`;
}
