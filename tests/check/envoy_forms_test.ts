// The forms an Envoy configuration comes in, and the lines problems are reported at.
import { assertEquals } from "@std/assert";
import { stringify } from "yaml";
import { envoyModel } from "../../src/check/envoy_model.ts";
import { parseYaml, treeOf } from "../../src/check/yaml.ts";
import { type Loose, partsOf, printed, problemsOf, summary } from "./envoy_fixture.ts";

Deno.test("problems stand at the line of the field, or of what should hold it", () => {
  const root = printed({});
  const { filter, extproc } = partsOf(root);
  filter.message_timeout = "5s";
  delete filter.status_on_error;
  extproc.circuit_breakers.thresholds[0].max_requests = 5;
  const text = stringify(root);
  const lines = text.split("\n");
  const shown = problemsOf(text, {}).map(({ id, place }) => {
    return `${id} ${lines[(place?.line ?? 0) - 1]?.trim()}`;
  });
  assertEquals(shown, [
    "envoy-message-timeout message_timeout: 5s",
    'envoy-status-on-error "@type": type.googleapis.com/envoy.extensions.filters.http.ext_proc.' +
    "v3.ExternalProcessor",
    "envoy-breaker max_requests: 5",
  ]);
});

/** The same document with camelCase names, as protobuf's JSON allows. */
function camel(value: Loose): Loose {
  if (Array.isArray(value)) return value.map(camel);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => {
      const keep = name.includes(".") || name.startsWith("@");
      const renamed = name.replace(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase());
      return [keep ? name : renamed, camel(each)];
    }),
  );
}

Deno.test("camelCase names are understood", () => {
  const root = printed({});
  assertEquals(problemsOf(stringify(camel(root)), {}), []);
  partsOf(root).filter.message_timeout = "5s";
  assertEquals(problemsOf(stringify(camel(root)), {}).map(summary), [
    "error envoy-message-timeout message_timeout=5s",
  ]);
});

Deno.test("JSON with or without lines is understood", () => {
  const root = printed({});
  partsOf(root).filter.message_timeout = "5s";
  for (const text of [JSON.stringify(root), JSON.stringify(root, undefined, "\t")]) {
    assertEquals(problemsOf(text, {}).map(({ id }) => id), ["envoy-message-timeout"]);
  }
});

Deno.test("a filter inside a TypedStruct is understood", () => {
  const root = printed({});
  const { manager, filter } = partsOf(root);
  const { "@type": type, ...value } = filter;
  value.failure_mode_allow = true;
  for (const holder of manager.http_filters) {
    if (holder.name !== "envoy.filters.http.ext_proc") continue;
    holder.name = "mine";
    holder.typed_config = {
      "@type": "type.googleapis.com/xds.type.v3.TypedStruct",
      type_url: type,
      value,
    };
  }
  assertEquals(problemsOf(stringify(root), {}).map(({ id }) => id), ["envoy-fails-open"]);
});

Deno.test("listeners that lead to no worker are nobody's business beside one that does", () => {
  const root = printed({});
  const [listener] = root.static_resources.listeners;
  const other = structuredClone(listener);
  other.name = "metrics";
  const manager = other.filter_chains[0].filters[0].typed_config;
  manager.http_filters = [];
  manager.route_config.virtual_hosts[0].routes = [
    { match: { prefix: "/" }, route: { cluster: "atenet_extproc" } },
  ];
  root.static_resources.listeners.unshift(other);
  assertEquals(problemsOf(stringify(root), {}), []);
});

Deno.test("of several ext_proc filters the one that leads to the router is held to the rules", () => {
  const root = printed({});
  const { manager, extproc, filter } = partsOf(root);
  const other = structuredClone(extproc);
  other.name = "other";
  other.load_assignment.endpoints[0].lb_endpoints[0].endpoint.address.socket_address.port_value = 7;
  root.static_resources.clusters.push(other);
  const theirs = structuredClone(filter);
  theirs.grpc_service.envoy_grpc.cluster_name = "other";
  theirs.failure_mode_allow = true;
  manager.http_filters.unshift({ name: "envoy.filters.http.ext_proc", typed_config: theirs });
  assertEquals(problemsOf(stringify(root), {}), []);
});

Deno.test("each listener is held to the rules", () => {
  const root = printed({ envoyCertPath: "/certs/tls.pem" });
  for (const listener of root.static_resources.listeners) {
    const [manager] = listener.filter_chains[0].filters;
    manager.typed_config.request_timeout = "1s";
  }
  const problems = problemsOf(stringify(root), { envoyCertPath: "/certs/tls.pem" });
  assertEquals(problems.map(({ id }) => id), [
    "envoy-timer-cuts-parked",
    "envoy-timer-cuts-parked",
  ]);
  assertEquals(new Set(problems.map(({ place }) => place?.line)).size, 2);
});

Deno.test("routes asked for by name are found in a dump", () => {
  const root = printed({});
  const { manager } = partsOf(root);
  const { route_config: routes, ...rest } = manager;
  routes.virtual_hosts[0].routes[0].route.idle_timeout = "1s";
  const type = (name: string) => `type.googleapis.com/envoy.admin.v3.${name}`;
  const [listener] = structuredClone(root.static_resources.listeners);
  listener.filter_chains[0].filters[0].typed_config = {
    ...rest,
    rds: { route_config_name: routes.name },
  };
  const dump = {
    configs: [
      { "@type": type("BootstrapConfigDump"), bootstrap: root },
      {
        "@type": type("ClustersConfigDump"),
        static_clusters: root.static_resources.clusters.map((cluster: Loose) => ({ cluster })),
      },
      {
        "@type": type("ListenersConfigDump"),
        dynamic_listeners: [{ name: listener.name, active_state: { listener } }],
      },
      {
        "@type": type("RoutesConfigDump"),
        dynamic_route_configs: [{ route_config: { name: "other" } }, { route_config: routes }],
      },
    ],
  };
  assertEquals(problemsOf(JSON.stringify(dump), {}).map(summary), [
    "error envoy-timer-cuts-parked route idle_timeout=1s",
  ]);
});

Deno.test("an ext_proc cluster that came over CDS is a warning", () => {
  const root = printed({});
  const type = (name: string) => `type.googleapis.com/envoy.admin.v3.${name}`;
  const dump = {
    configs: [
      { "@type": type("BootstrapConfigDump"), bootstrap: root },
      {
        "@type": type("ClustersConfigDump"),
        dynamic_active_clusters: root.static_resources.clusters
          .map((cluster: Loose) => ({ cluster })),
      },
      {
        "@type": type("ListenersConfigDump"),
        static_listeners: root.static_resources.listeners
          .map((listener: Loose) => ({ listener })),
      },
    ],
  };
  assertEquals(problemsOf(JSON.stringify(dump), {}).map(summary), [
    "warning envoy-cluster-dynamic ext_proc cluster=atenet_extproc",
  ]);
});

Deno.test("what is no Envoy configuration is said to be none, and breaks nothing", () => {
  for (const text of ["a: 1", "[1, 2]", "text", "configs: []", "configs: 5", "kind: Pod"]) {
    const problems = problemsOf(text, {});
    assertEquals(problems.map(({ kind, id }) => `${kind} ${id}`), ["usage bad-file"], text);
  }
});

Deno.test("values of a wrong kind in any place never throw", () => {
  const wrong = [null, 5, "text", [], {}, [null], { a: 1 }, true];
  const visit = (value: Loose, replace: (holder: Loose, key: string) => void) => {
    if (value === null || typeof value !== "object") return;
    for (const key of Object.keys(value)) {
      const held = value[key];
      replace(value, key);
      value[key] = held;
      visit(held, replace);
    }
  };
  let count = 0;
  const root = printed({});
  visit(root, (holder, key) => {
    holder[key] = wrong[count++ % wrong.length];
    const model = envoyModel(treeOf(root));
    if (model !== undefined) problemsOf(JSON.stringify(root), {});
  });
  assertEquals(count > 200, true, `${count}`);
});

Deno.test("envoyModel() tells bootstrap, dump and others apart", () => {
  const model = (text: string) => envoyModel(parseYaml(text).documents[0]!);
  assertEquals(model("static_resources: {}")?.managers, []);
  assertEquals(model("dynamic_resources: {lds_config: {}}")?.listenersUnseen, true);
  assertEquals(model("dynamic_resources: {cds_config: {}}")?.clustersUnseen, true);
  assertEquals(model("listeners: []"), undefined);
});
