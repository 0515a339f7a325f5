// Ways around the router in an Envoy configuration: each one is an error, what only looks like one
// is none, and what cannot be seen is a warning.
import { assertEquals } from "@std/assert";
import { stringify } from "yaml";
import type { Problem } from "../../src/check/settings.ts";
import {
  type Change,
  type Loose,
  type Parts,
  partsOf,
  printed,
  problemsOf,
} from "./envoy_fixture.ts";
import {
  check,
  entry,
  EXT_PROC,
  host,
  OFF,
  ON,
  onRoutes,
  overRds,
  PER_ROUTE,
  say,
  toWorkers,
} from "./envoy_ways_fixture.ts";

const GENERIC = "type.googleapis.com/envoy.config.route.v3.FilterConfig";
const STRUCT = "type.googleapis.com/xds.type.v3.TypedStruct";
const NOT_ASKED = "error envoy-not-asked typed_per_filter_config disabled=true";

function overriding(overrides: Loose): Loose {
  return { "@type": PER_ROUTE, overrides };
}

Deno.test("a filter that is turned off is an error, unless its routes turn it on", () => {
  const off: Change = (parts) => entry(parts).disabled = true;
  check([
    ["off", off, ["error envoy-not-asked ext_proc disabled=true"]],
    ["not off", (parts) => entry(parts).disabled = false, []],
    ["on again for all routes", (parts) => {
      off(parts);
      onRoutes(ON)(parts);
    }, []],
    ["on again by its host", (parts) => {
      off(parts);
      say(host(parts), { "@type": GENERIC, config: ON });
    }, []],
    ["on again for one of two", (parts) => {
      off(parts);
      say(toWorkers(parts)[0], ON);
    }, ["error envoy-not-asked ext_proc disabled=true"]],
  ]);
});

Deno.test("a filter that routes to workers turn off is an error at every level", () => {
  check([
    ["every route", onRoutes(OFF), [NOT_ASKED, NOT_ASKED]],
    ["one route", (parts) => say(toWorkers(parts)[1], OFF), [NOT_ASKED]],
    ["its host", (parts) => say(host(parts), OFF), [NOT_ASKED]],
    ["all routes", ({ manager }) => say(manager.route_config, OFF), [NOT_ASKED]],
    ["part of the traffic", (parts) => {
      const { route } = toWorkers(parts)[1];
      const [one, other] = [{ name: route.cluster, weight: 1 }, { name: route.cluster, weight: 1 }];
      say(other, OFF);
      route.weighted_clusters = { clusters: [one, other] };
      delete route.cluster;
    }, [NOT_ASKED]],
    ["for any filter", onRoutes({ "@type": GENERIC, disabled: true }), [NOT_ASKED, NOT_ASKED]],
    ["packed", (parts) => say(host(parts), { "@type": GENERIC, config: OFF }), [NOT_ASKED]],
    ["packed as a struct", (parts) => {
      const value = { disabled: true };
      say(host(parts), { "@type": STRUCT, type_url: PER_ROUTE, value });
    }, [NOT_ASKED]],
    ["another name", (parts) => {
      entry(parts).name = "ask";
      say(host(parts), OFF, "ask");
    }, [NOT_ASKED]],
  ]);
});

Deno.test("what is turned off elsewhere, or on again, is no way around", () => {
  check([
    ["a filter of another name", (parts) => say(host(parts), OFF, "other"), []],
    ["a route that answers itself", (parts) => say(host(parts).routes.at(-1), OFF), []],
    ["a route to a fixed cluster", (parts) => {
      const route = { match: { path: "/ok" }, route: { cluster: "atenet_extproc" } };
      say(route, OFF);
      host(parts).routes.unshift(route);
    }, []],
    ["the narrowest word counts", (parts) => {
      say(parts.manager.route_config, OFF);
      say(host(parts), ON);
    }, []],
    ["on every route again", (parts) => {
      say(host(parts), OFF);
      onRoutes(ON)(parts);
    }, []],
    ["not disabled", onRoutes({ "@type": GENERIC, disabled: false, config: ON }), []],
    ["nonsense", (parts) => {
      say(host(parts), 5);
      host(parts).routes[0].typed_per_filter_config = [1];
    }, []],
  ]);
});

Deno.test("routes to workers cannot override what keeps requests to the router", () => {
  const open = overriding({ failure_mode_allow: true });
  const skip = overriding({ processing_mode: { request_header_mode: "SKIP" } });
  const fail = "error envoy-fails-open typed_per_filter_config failure_mode_allow=true";
  check([
    ["open", (parts) => say(host(parts), open), [fail]],
    ["open, on routes", onRoutes(open), [fail, fail]],
    ["closed again", (parts) => {
      say(host(parts), open);
      onRoutes(overriding({ failure_mode_allow: false }))(parts);
    }, []],
    ["not asked", (parts) => say(host(parts), skip), [
      "error envoy-not-asked typed_per_filter_config request_header_mode=SKIP",
    ]],
    ["asked by default", (parts) => {
      say(host(parts), skip);
      onRoutes(overriding({ processing_mode: { response_header_mode: "SKIP" } }))(parts);
    }, []],
    ["where nothing is asked anyway", (parts) => {
      const route = { match: { path: "/ok" }, route: { cluster: "atenet_extproc" } };
      say(route, open);
      host(parts).routes.unshift(route);
    }, []],
  ]);
});

Deno.test("a server that routes to workers name instead is held to the rules of the router", () => {
  const service = (name: string) =>
    overriding({ grpc_service: { envoy_grpc: { cluster_name: name } } });
  check([
    ["the same", (parts) => say(host(parts), service("atenet_extproc")), []],
    ["nobody", (parts) => say(host(parts), service("other")), [
      "error envoy-extproc-cluster ext_proc cluster=other",
    ]],
    ["somebody else", (parts) => {
      const other = structuredClone(parts.extproc);
      other.name = "other";
      const [{ lb_endpoints: [{ endpoint }] }] = other.load_assignment.endpoints;
      endpoint.address.socket_address.port_value = 7;
      parts.root.static_resources.clusters.push(other);
      say(host(parts), service("other"));
    }, ["error envoy-extproc-endpoint ext_proc endpoint=127.0.0.1:7"]],
  ]);
});

/** A second listener beside the good one. */
function second(change: (manager: Loose) => void): Change {
  return ({ root }) => {
    const { listeners } = root.static_resources;
    const other = structuredClone(listeners[0]);
    other.name = "second";
    const manager = other.filter_chains[0].filters[0].typed_config;
    manager.http_filters = manager.http_filters.filter(({ name }: Loose) => name !== EXT_PROC);
    change(manager);
    listeners.unshift(other);
  };
}

Deno.test("a listener without the filter whose routes lead to workers is an error", () => {
  const missing = [`error envoy-no-extproc filter ${EXT_PROC}`];
  check([
    ["the same routes", second(() => {}), missing],
    ["no filter at all", second((manager) => delete manager.http_filters), missing],
    [
      "two workers' routes are one problem",
      second((manager) => {
        const [{ routes }] = manager.route_config.virtual_hosts;
        routes.push(...routes);
      }),
      missing,
    ],
    [
      "fixed clusters",
      second((manager) => {
        for (const { route } of toWorkers({ manager })) route.cluster = "atenet_extproc";
      }),
      [],
    ],
    [
      "answers of its own",
      second((manager) => {
        const [one] = manager.route_config.virtual_hosts;
        one.routes = one.routes.slice(-1);
      }),
      [],
    ],
    ["routes from elsewhere", second((manager) => delete manager.route_config), []],
  ]);
});

/** A second listener without the filter that leads to a cluster of its own. */
function egress(cluster: Loose): Change {
  const change = second((manager) => {
    const [{ routes }] = manager.route_config.virtual_hosts;
    routes.splice(0, routes.length, { match: { prefix: "/" }, route: { cluster: cluster.name } });
  });
  return (parts) => {
    parts.root.static_resources.clusters.push(cluster);
    change(parts);
  };
}

Deno.test("an egress proxy beside the router's listener is a warning, unless it shares its cluster", () => {
  const original = { name: "original", type: "ORIGINAL_DST" };
  const forward = {
    name: "forward",
    cluster_type: { name: "envoy.clusters.dynamic_forward_proxy" },
    max_requests_per_connection: 1,
  };
  const warning = [`warning envoy-no-extproc filter ${EXT_PROC}`];
  const error = [`error envoy-no-extproc filter ${EXT_PROC}`];
  /** The router's routes use the cluster for part of the traffic. */
  const shared = (parts: Parts) => {
    const { route } = toWorkers(parts)[0];
    route.weighted_clusters = {
      clusters: [{ name: route.cluster, weight: 1 }, { name: "forward", weight: 1 }],
    };
    delete route.cluster;
  };
  check([
    ["original destination", egress(original), warning],
    ["forward proxy", egress(forward), warning],
    ["the router's routes use it too", (parts) => {
      egress(forward)(parts);
      shared(parts);
    }, error],
    ["the router's routes are not to be seen", (parts) => {
      egress(forward)(parts);
      overRds(parts);
    }, warning],
    ["it leads to workers as well", (parts) => {
      egress(forward)(parts);
      const manager = parts.root.static_resources.listeners[0].filter_chains[0].filters[0];
      const [{ routes }] = manager.typed_config.route_config.virtual_hosts;
      routes.push({ match: { prefix: "/w" }, route: { cluster: "atenet_workers" } });
    }, error],
    ["no listener has the filter", (parts) => {
      egress(forward)(parts);
      const { http_filters } = parts.manager;
      parts.manager.http_filters = http_filters.filter(({ name }: Loose) => name !== EXT_PROC);
    }, error],
  ]);
});

Deno.test("the warning about an egress proxy says what it is and by which cluster", () => {
  const root = printed({});
  egress({ name: "original", type: "ORIGINAL_DST" })(partsOf(root));
  const [{ rule, reason }] = problemsOf(stringify(root), {}) as [Problem];
  assertEquals(
    rule,
    "is missing where routes lead to original, which no route with the filter is seen to use",
  );
  assertEquals(
    reason,
    "That is how an egress proxy looks; with workers behind it, it is a way around the router",
  );
});
