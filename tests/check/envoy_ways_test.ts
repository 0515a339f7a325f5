// Ways of an Envoy configuration that cannot be seen to lead to workers: what is sure is an error,
// what is not is a warning.
import type { Change, Loose, Parts } from "./envoy_fixture.ts";
import {
  check,
  entry,
  host,
  OFF,
  ON,
  onRoutes,
  overRds,
  say,
  toWorkers,
} from "./envoy_ways_fixture.ts";

/** The workers' clusters come over CDS: a bootstrap does not show them. */
function overCds({ root }: Pick<Parts, "root">): void {
  const resources = root.static_resources;
  resources.clusters = resources.clusters.filter(({ name }: Loose) =>
    !name.startsWith("atenet_workers")
  );
  root.dynamic_resources = { cds_config: { ads: {} } };
}

Deno.test("a filter that is off where no way to workers is to be seen is a doubt", () => {
  const off: Change = (parts) => entry(parts).disabled = true;
  const doubt = ["warning not-checked ext_proc disabled=true"];
  const sure = ["error envoy-not-asked ext_proc disabled=true"];
  const all = (...changes: Change[]): Change => (parts) => changes.forEach((each) => each(parts));
  const byHeader: Change = (parts) => {
    for (const { route } of toWorkers(parts)) {
      delete route.cluster;
      route.cluster_header = "x-to";
    }
  };
  check([
    ["routes over RDS", all(off, overRds), doubt],
    [
      "virtual hosts over VHDS",
      all(off, ({ manager }) => {
        manager.route_config = { name: "routes", vhds: { config_source: { ads: {} } } };
      }),
      doubt,
    ],
    ["over RDS, and not off", overRds, []],
    ["clusters over CDS", all(off, overCds), sure],
    ["clusters over CDS, and not off", overCds, []],
    ["on again on all routes", all(off, overCds, onRoutes(ON)), []],
    ["on again by its host", all(off, overCds, (parts) => say(host(parts), ON)), []],
    [
      "on again by all routes",
      all(off, overCds, ({ manager }) => {
        say(manager.route_config, ON);
      }),
      [],
    ],
    ["on again on one of two", all(off, overCds, (parts) => say(toWorkers(parts)[0], ON)), doubt],
    [
      "on again, and the rest leads elsewhere",
      all(off, overCds, (parts) => {
        const [one, other] = toWorkers(parts);
        say(one, ON);
        other.route.cluster = "atenet_extproc";
      }),
      [],
    ],
    ["turned off by one of two routes", all(overCds, (parts) => say(toWorkers(parts)[0], OFF)), [
      "warning not-checked typed_per_filter_config disabled=true",
    ]],
    [
      "the request names the cluster",
      all(off, byHeader, (parts) => {
        say(toWorkers(parts)[0], ON);
      }),
      doubt,
    ],
    ["the request names it, on again", all(off, byHeader, onRoutes(ON)), []],
    ["the request names it, never on", all(off, byHeader), sure],
  ]);
});

Deno.test("a route to a fixed cluster is no error beside one that may lead to workers", () => {
  const fixed = (parts: Parts) => {
    const route = { match: { path: "/ok" }, route: { cluster: "atenet_extproc" } };
    host(parts).routes.unshift(route);
  };
  const wrong = ["error envoy-worker-cluster route cluster=atenet_extproc"];
  check([
    ["workers over CDS", (parts) => {
      fixed(parts);
      overCds(parts);
    }, []],
    ["virtual hosts over VHDS", (parts) => {
      fixed(parts);
      host(parts).routes = host(parts).routes.slice(0, 1);
      parts.manager.route_config.vhds = { config_source: { ads: {} } };
    }, []],
    ["nothing else, clusters over CDS", (parts) => {
      fixed(parts);
      host(parts).routes = host(parts).routes.slice(0, 1);
      overCds(parts);
    }, wrong],
  ]);
});
