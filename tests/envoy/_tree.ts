// Reading values deep inside a bootstrap, for the shape tests.
import { envoyBootstrap } from "../../src/envoy/bootstrap.ts";
import { ENVOY_DEFAULTS, type EnvoyOptions } from "../../src/envoy/options.ts";

/** Anything; a missing member is undefined all the way down. */
export class Tree {
  constructor(readonly value: unknown) {}

  /** The member at a path of names and indexes, dots between them; `@name` finds by `name`. */
  at(path: string): Tree {
    let value = this.value;
    for (const step of path === "" ? [] : path.split("/")) {
      if (typeof value !== "object" || value === null) return new Tree(undefined);
      value = step.startsWith("@")
        ? (value as { name?: string }[]).find((one) => one.name === step.slice(1))
        : (value as Record<string, unknown>)[step];
    }
    return new Tree(value);
  }

  get list(): Tree[] {
    return Array.isArray(this.value) ? this.value.map((one) => new Tree(one)) : [];
  }
}

/** The bootstrap of the default options with some changed. */
export function bootstrapOf(over: Partial<EnvoyOptions> = {}): Tree {
  return new Tree(envoyBootstrap({ ...ENVOY_DEFAULTS, ...over }));
}

/** A cluster of a bootstrap. */
export function clusterOf(bootstrap: Tree, name: string): Tree {
  return bootstrap.at(`static_resources/clusters/@${name}`);
}

/** The HTTP connection manager of a listener. */
export function managerOf(bootstrap: Tree, listener = "atenet_http"): Tree {
  return bootstrap.at(
    `static_resources/listeners/@${listener}/filter_chains/0/filters/0/typed_config`,
  );
}

/** The ext_proc filter's configuration. */
export function extprocOf(bootstrap: Tree): Tree {
  return managerOf(bootstrap).at("http_filters/@envoy.filters.http.ext_proc/typed_config");
}

/** A cluster's HTTP options. */
export function httpOptionsOf(cluster: Tree): Tree {
  const type = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions";
  return cluster.at("typed_extension_protocol_options").at(type);
}
