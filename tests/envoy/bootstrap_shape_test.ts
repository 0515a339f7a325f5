// The bootstrap around the resources: admin, node, ADS, HTTPS, tracing.
import { assertEquals, assertThrows } from "@std/assert";
import { envoyBootstrap } from "../../src/envoy/bootstrap.ts";
import { ENVOY_DEFAULTS } from "../../src/envoy/options.ts";
import { bootstrapOf, clusterOf, httpOptionsOf, managerOf } from "./_tree.ts";

Deno.test("the same options give the same bootstrap, and are not changed", () => {
  const options = Object.freeze({ ...ENVOY_DEFAULTS, ads: true });
  assertEquals(envoyBootstrap(options), envoyBootstrap({ ...options }));
});

Deno.test("admin listens where --envoy-admin-address says, a name means loopback", () => {
  const at = (adminAddress: string) => bootstrapOf({ adminAddress }).at("admin/address").value;
  const address = (address: string, port_value: number) => ({
    socket_address: { address, port_value },
  });
  assertEquals(at("127.0.0.1:9901"), address("127.0.0.1", 9901));
  assertEquals(at("[::1]:9901"), address("::1", 9901));
  assertEquals(at("localhost:9902"), address("127.0.0.1", 9902));
  assertEquals(bootstrapOf({ adminAddress: "" }).at("admin").value, undefined);
  assertThrows(() => bootstrapOf({ adminAddress: "localhost" }), TypeError, "localhost");
});

Deno.test("admin stays reachable when the connection limit is used up", () => {
  const bootstrap = bootstrapOf();
  assertEquals(bootstrap.at("admin/ignore_global_conn_limit").value, true);
  const monitor = bootstrap.at("overload_manager/resource_monitors/0/typed_config");
  assertEquals(monitor.at("max_active_downstream_connections").value, 50_000);
});

Deno.test("without ADS listeners are static and no xDS cluster is there", () => {
  const bootstrap = bootstrapOf();
  assertEquals(bootstrap.at("dynamic_resources").value, undefined);
  assertEquals(clusterOf(bootstrap, "atenet_xds").value, undefined);
  assertEquals(bootstrap.at("static_resources/listeners").list.length, 1);
});

Deno.test("with ADS clusters stay static, listeners come from the router and are waited for", () => {
  const bootstrap = bootstrapOf({ ads: true, xdsAddress: "0.0.0.0", portXds: 18001 });
  assertEquals(bootstrap.at("static_resources/listeners").value, undefined);
  assertEquals(bootstrap.at("dynamic_resources/cds_config").value, undefined);
  assertEquals(bootstrap.at("dynamic_resources/lds_config").value, {
    ads: {},
    resource_api_version: "V3",
    initial_fetch_timeout: "0s",
  });
  const ads = bootstrap.at("dynamic_resources/ads_config");
  assertEquals(ads.at("set_node_on_first_message_only").value, true);
  const grpc = ads.at("grpc_services/0/envoy_grpc");
  assertEquals(grpc.at("cluster_name").value, "atenet_xds");
  assertEquals(grpc.at("retry_policy/retry_back_off").value, {
    base_interval: "0.1s",
    max_interval: "1s",
  });
  const cluster = clusterOf(bootstrap, "atenet_xds");
  const endpoint = cluster.at("load_assignment/endpoints/0/lb_endpoints/0/endpoint");
  assertEquals(endpoint.at("address/socket_address").value, {
    address: "127.0.0.1",
    port_value: 18001,
  });
  const http2 = httpOptionsOf(cluster).at("explicit_http_config/http2_protocol_options");
  assertEquals(typeof http2.value, "object", "an ADS cluster without HTTP/2 hangs for ever");
  for (const name of ["atenet_extproc", "atenet_workers", "atenet_workers_grpc"]) {
    assertEquals(clusterOf(bootstrap, name).value, clusterOf(bootstrapOf(), name).value, name);
  }
});

Deno.test("node id and cluster are always there", () => {
  const bootstrap = bootstrapOf({ nodeId: "pod-1", nodeCluster: "edge" });
  assertEquals(bootstrap.at("node").value, { id: "pod-1", cluster: "edge" });
});

Deno.test("a certificate adds the HTTPS listener and its secret, none leaves both out", () => {
  const bare = bootstrapOf();
  assertEquals(bare.at("static_resources/listeners/@atenet_https").value, undefined);
  assertEquals(bare.at("static_resources/secrets").value, undefined);
  for (
    const [envoyCertPath, chain, key, dir] of [
      ["/run/certs/bundle.pem", "/run/certs/bundle.pem", "/run/certs/bundle.pem", "/run/certs"],
      ["/run/certs/", "/run/certs/tls.crt", "/run/certs/tls.key", "/run/certs"],
      ["bundle.pem", "bundle.pem", "bundle.pem", "."],
      ["/bundle.pem", "/bundle.pem", "/bundle.pem", "/"],
    ] as const
  ) {
    const bootstrap = bootstrapOf({ envoyCertPath, portHttps: 8444 });
    const listener = bootstrap.at("static_resources/listeners/@atenet_https");
    assertEquals(listener.at("address/socket_address/port_value").value, 8444);
    assertEquals(bootstrap.at("static_resources/secrets/0/tls_certificate").value, {
      certificate_chain: { filename: chain },
      private_key: { filename: key },
      watched_directory: { path: dir },
    }, envoyCertPath);
    const https = managerOf(bootstrap, "atenet_https");
    assertEquals(https.value, managerOf(bootstrap).value, "one connection manager for both");
  }
});

Deno.test("a collector adds tracing and its cluster, none leaves both out", () => {
  const bare = bootstrapOf();
  assertEquals(clusterOf(bare, "atenet_otlp").value, undefined);
  assertEquals(managerOf(bare).at("tracing").value, undefined);
  const bootstrap = bootstrapOf({ otlpCollectorAddress: "otel.svc" });
  const endpoint = "load_assignment/endpoints/0/lb_endpoints/0/endpoint/address/socket_address";
  const cluster = clusterOf(bootstrap, "atenet_otlp");
  assertEquals(cluster.at("type").value, "STRICT_DNS");
  assertEquals(cluster.at(endpoint).value, { address: "otel.svc", port_value: 4317 });
  const provider = managerOf(bootstrap).at("tracing/provider/typed_config");
  assertEquals(provider.at("grpc_service/envoy_grpc/cluster_name").value, "atenet_otlp");
});
