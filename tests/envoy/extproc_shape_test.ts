// What the side call must look like, so that Envoy is never the first to give up on a parked request.
import {
  assert,
  assertEquals,
  assertGreaterOrEqual,
  assertLess,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { RETRY_MAX_MS } from "../../src/envoy/resources_extproc.ts";
import { REMOTE_CLOSE_TIMEOUT_MS } from "../../src/envoy/runtime.ts";
import { bootstrapOf, clusterOf, extprocOf, httpOptionsOf, type Tree } from "./_tree.ts";

function seconds(at: Tree): number {
  return Number.parseFloat(String(at.value));
}

for (const messageTimeoutMs of [5_001, 10_000, 20_000, 3_600_000]) {
  Deno.test(`B42: no timer of the side call is below message_timeout ${messageTimeoutMs} ms`, () => {
    const filter = extprocOf(bootstrapOf({ messageTimeoutMs }));
    assertEquals(seconds(filter.at("message_timeout")), messageTimeoutMs / 1000);
    assertGreaterOrEqual(seconds(filter.at("grpc_service/timeout")), messageTimeoutMs / 1000);
  });
}

Deno.test("a message_timeout that Envoy would refuse is refused here, with the value", () => {
  const error = assertThrows(() => bootstrapOf({ messageTimeoutMs: 3_600_001 }), RangeError);
  assertStringIncludes(error.message, "3600001 ms");
});

for (const breaker of [1024, 3000, 131_072]) {
  Deno.test(`B43: breaker ${breaker} stands for requests, pending and retries, none is a default`, () => {
    const options = { breaker, maxConcurrentStreams: breaker };
    const cluster = clusterOf(bootstrapOf(options), "atenet_extproc");
    const [threshold, ...rest] = cluster.at("circuit_breakers/thresholds").list;
    assertEquals(rest, []);
    assert(threshold);
    assertEquals(threshold.at("max_requests").value, breaker);
    assertEquals(threshold.at("max_pending_requests").value, breaker);
    assertEquals(threshold.at("max_retries").value, breaker);
    assertEquals(threshold.at("track_remaining").value, true);
    assertGreaterOrEqual(Number(threshold.at("max_connections").value), 10_000);
    const streams = "explicit_http_config/http2_protocol_options/max_concurrent_streams";
    assertGreaterOrEqual(Number(httpOptionsOf(cluster).at(streams).value), breaker);
    // Every parked client may leave at once, and each is a frame.
    for (const [field, least] of [["control_frames", 100_000], ["frames", 1_000_000]] as const) {
      const path = `explicit_http_config/http2_protocol_options/max_outbound_${field}`;
      const actual = Number(httpOptionsOf(cluster).at(path).value);
      assertGreaterOrEqual(actual, Math.max(least, breaker));
    }
  });
}

Deno.test("the side call is fail-closed and sends request headers only", () => {
  const filter = extprocOf(bootstrapOf());
  assertEquals(filter.at("failure_mode_allow").value, false);
  assertEquals(filter.at("status_on_error/code").value, "ServiceUnavailable");
  assertEquals(filter.at("processing_mode").value, {
    request_header_mode: "SEND",
    response_header_mode: "SKIP",
    request_body_mode: "NONE",
    response_body_mode: "NONE",
    request_trailer_mode: "SKIP",
    response_trailer_mode: "SKIP",
  });
  assertEquals(filter.at("allow_mode_override").value, undefined);
  assertEquals(filter.at("max_message_timeout").value, undefined, "no override is ever sent");
});

Deno.test("the side call is repeated when its connection fails, never when it was answered", () => {
  const retry = extprocOf(bootstrapOf()).at("grpc_service/retry_policy");
  assertEquals(retry.value, {
    retry_on: "connect-failure,reset",
    num_retries: 20,
    retry_back_off: { base_interval: "0.2s", max_interval: "0.5s" },
  });
});

Deno.test("the verdict's metadata is received and mutations fit the route mode", () => {
  for (
    const [routeMode, rules] of [
      ["authority", { allow_all_routing: true }],
      ["original-dst", { disallow_all: true }],
    ] as const
  ) {
    const filter = extprocOf(bootstrapOf({ routeMode }));
    assertEquals(filter.at("metadata_options/receiving_namespaces/untyped").value, ["atenet"]);
    assertEquals(filter.at("mutation_rules").value, rules);
  }
});

Deno.test("the cluster dials where the router listens", () => {
  const dialled = (extprocAddress: string) => {
    const cluster = clusterOf(bootstrapOf({ extprocAddress, portExtproc: 7 }), "atenet_extproc");
    const endpoint = cluster.at("load_assignment/endpoints/0/lb_endpoints/0/endpoint");
    return [cluster.at("type").value, endpoint.at("address/socket_address").value];
  };
  const at = (address: string) => ({ address, port_value: 7 });
  assertEquals(dialled("127.0.0.1"), ["STATIC", at("127.0.0.1")]);
  assertEquals(dialled("0.0.0.0"), ["STATIC", at("127.0.0.1")]);
  assertEquals(dialled("::"), ["STATIC", at("::1")]);
  assertEquals(dialled("localhost"), ["STRICT_DNS", at("localhost")]);
});

Deno.test("each reset cure is what it says and nothing else", () => {
  const guard = "envoy.reloadable_features.ext_proc_graceful_grpc_close";
  const closeTimeout = "envoy.filters.http.ext_proc.remote_close_timeout_milliseconds";
  const always = { "overload.premature_reset_total_stream_count": 20_480 };
  const capped = "common_http_protocol_options/max_requests_per_connection";
  const guarded = { ...always, [guard]: true, [closeTimeout]: REMOTE_CLOSE_TIMEOUT_MS };
  for (
    const [resetCure, layer, cap] of [
      ["guard", guarded, undefined],
      ["cap", always, 900],
      ["none", always, undefined],
    ] as const
  ) {
    const bootstrap = bootstrapOf({ resetCure });
    const options = httpOptionsOf(clusterOf(bootstrap, "atenet_extproc"));
    assertEquals(bootstrap.at("layered_runtime/layers/0/static_layer").value, layer, resetCure);
    assertEquals(options.at(capped).value, cap, resetCure);
  }
});

Deno.test("a half-closed stream is given up before Envoy would ask again", () => {
  assertLess(REMOTE_CLOSE_TIMEOUT_MS, RETRY_MAX_MS);
});
