// Ways of an Envoy configuration for rule tests: what routes say about the filter, and rows of them.
import { assertEquals } from "@std/assert";
import { type Change, found, type Loose, type Parts } from "./envoy_fixture.ts";

export type Row = readonly [what: string, change: Change, found: string[]];

export const EXT_PROC = "envoy.filters.http.ext_proc";
export const PER_ROUTE =
  "type.googleapis.com/envoy.extensions.filters.http.ext_proc.v3.ExtProcPerRoute";
export const OFF = { "@type": PER_ROUTE, disabled: true };
export const ON = { "@type": PER_ROUTE, overrides: {} };

/** Each change of our own bootstrap brings about what is expected. */
export function check(rows: readonly Row[]): void {
  for (const [what, change, expected] of rows) assertEquals(found(change), expected, what);
}

/** Says something about the filter. */
export function say(holder: Loose, config: Loose, name = EXT_PROC): void {
  holder.typed_per_filter_config = { [name]: config };
}

export function host({ manager }: Pick<Parts, "manager">): Loose {
  return manager.route_config.virtual_hosts[0];
}

/** Routes that lead to workers: all but the last one, which answers itself. */
export function toWorkers(parts: Pick<Parts, "manager">): Loose[] {
  return host(parts).routes.filter(({ route }: Loose) => route !== undefined);
}

export function entry({ manager }: Pick<Parts, "manager">): Loose {
  return manager.http_filters.find(({ name }: Loose) => name === EXT_PROC);
}

/** A change that says the same on every route to workers. */
export function onRoutes(config: Loose): Change {
  return (parts) => {
    for (const route of toWorkers(parts)) say(route, structuredClone(config));
  };
}

/** Routes come over RDS: a bootstrap does not show them. */
export function overRds({ manager }: Pick<Parts, "manager">): void {
  delete manager.route_config;
  manager.rds = { route_config_name: "routes" };
}
