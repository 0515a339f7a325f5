import { assertEquals } from "@std/assert";
import type { Settings } from "../../src/check/settings.ts";
import { type Change, found } from "./envoy_fixture.ts";

type Row = readonly [what: string, change: Change, found: string[], settings?: Partial<Settings>];

function check(rows: readonly Row[]): void {
  for (const [what, change, expected, settings] of rows) {
    assertEquals(found(change, settings), expected, what);
  }
}

Deno.test("what we print ourselves has no problem, whatever the settings", () => {
  const settings: readonly Partial<Settings>[] = [
    {},
    { parkedRequestMax: 0 },
    { parkedRequestMax: 50_000 },
    { parkedRequestBudgetMs: 400_000 },
    { extprocMaxRequests: 1024 },
    { routeMode: "original-dst" },
    { grpcTransport: "grpc-js" },
    { grpcTransport: "native" },
    { portExtproc: 7000, extprocAddress: "::1" },
    { extprocAddress: "0.0.0.0" },
    { envoyCertPath: "/certs/tls.pem" },
    { otlpCollectorAddress: "collector:4317" },
  ];
  for (const each of settings) {
    for (const ads of [false, true]) {
      assertEquals(found(() => {}, each, ads), [], JSON.stringify({ ...each, ads }));
    }
  }
});

Deno.test("B42: a message_timeout below budget + 5s is an error, also Envoy's default", () => {
  check([
    ["below", ({ filter }) => filter.message_timeout = "9.999s", [
      "error envoy-message-timeout message_timeout=9.999s",
    ]],
    ["equal", ({ filter }) => filter.message_timeout = "10s", []],
    ["above", ({ filter }) => filter.message_timeout = "60s", []],
    ["unset", ({ filter }) => delete filter.message_timeout, [
      "error envoy-message-timeout message_timeout",
    ]],
    ["5 s for a budget of 30 s", ({ filter }) => filter.message_timeout = "5s", [
      "error envoy-message-timeout message_timeout=5s",
    ], { parkedRequestBudgetMs: 30_000 }],
    ["parking off", ({ filter }) => filter.message_timeout = "19s", [
      "error envoy-message-timeout message_timeout=19s",
    ], { parkedRequestMax: 0 }],
  ]);
});

Deno.test("a gRPC timeout below it is a warning, none at all is fine", () => {
  check([
    ["below", ({ filter }) => filter.grpc_service.timeout = "1s", [
      "warning envoy-grpc-timeout grpc_service timeout=1s",
    ]],
    ["none", ({ filter }) => delete filter.grpc_service.timeout, []],
    ["off", ({ filter }) => filter.grpc_service.timeout = "0s", []],
  ]);
});

Deno.test("every timer that would cut a parked request is an error", () => {
  const long = { parkedRequestBudgetMs: 400_000 };
  check([
    ["idle", ({ manager }) => manager.stream_idle_timeout = "9s", [
      "error envoy-timer-cuts-parked stream_idle_timeout=9s",
    ]],
    ["idle off", ({ manager }) => manager.stream_idle_timeout = "0s", []],
    ["idle default", ({ manager }) => delete manager.stream_idle_timeout, []],
    ["idle default, long budget", ({ manager }) => delete manager.stream_idle_timeout, [
      "error envoy-timer-cuts-parked stream_idle_timeout",
    ], long],
    ["request", ({ manager }) => manager.request_timeout = "2s", [
      "error envoy-timer-cuts-parked request_timeout=2s",
    ]],
    ["request off", ({ manager }) => delete manager.request_timeout, []],
    [
      "duration",
      ({ manager }) => manager.common_http_protocol_options = { max_stream_duration: "3s" },
      ["error envoy-timer-cuts-parked max_stream_duration=3s"],
    ],
    [
      "idle connection",
      ({ manager }) => manager.common_http_protocol_options = { idle_timeout: "2s" },
      [],
    ],
    [
      "route idle",
      ({ manager }) => route(manager).idle_timeout = "1s",
      ["error envoy-timer-cuts-parked route idle_timeout=1s"],
    ],
    [
      "route duration",
      ({ manager }) => route(manager).max_stream_duration = { max_stream_duration: "2s" },
      ["error envoy-timer-cuts-parked route max_stream_duration=2s"],
    ],
    ["route timeout", ({ manager }) => route(manager).timeout = "1s", []],
    [
      "cluster duration",
      ({ http }) => http.common_http_protocol_options = { max_stream_duration: "3s" },
      ["error envoy-timer-cuts-parked ext_proc cluster max_stream_duration=3s"],
    ],
  ]);
});

// deno-lint-ignore no-explicit-any
function route(manager: any): any {
  return manager.route_config.virtual_hosts[0].routes[0].route;
}

Deno.test("a filter that lets requests pass without a verdict is an error", () => {
  check([
    ["open", ({ filter }) => filter.failure_mode_allow = true, [
      "error envoy-fails-open failure_mode_allow=true",
    ]],
    ["unset", ({ filter }) => delete filter.failure_mode_allow, []],
    ["observing", ({ filter }) => filter.observability_mode = true, [
      "error envoy-fails-open observability_mode=true",
    ]],
    ["no denials", ({ filter }) => filter.disable_immediate_response = true, [
      "error envoy-denials-dropped disable_immediate_response=true",
    ]],
    ["never asked", ({ filter }) => filter.processing_mode.request_header_mode = "SKIP", [
      "error envoy-not-asked request_header_mode=SKIP",
    ]],
    ["default asks", ({ filter }) => delete filter.processing_mode.request_header_mode, []],
  ]);
});

Deno.test("B70: a rewrite that Envoy drops is an error, but only where one is made", () => {
  check([
    ["no rules", ({ filter }) => delete filter.mutation_rules, [
      "error envoy-rewrite-dropped mutation_rules.allow_all_routing",
    ]],
    ["false", ({ filter }) => filter.mutation_rules.allow_all_routing = false, [
      "error envoy-rewrite-dropped mutation_rules.allow_all_routing=false",
    ]],
    [
      "original-dst",
      ({ filter }) => delete filter.mutation_rules,
      [],
      { routeMode: "original-dst" },
    ],
  ]);
});

Deno.test("messages the router has no use for are warnings", () => {
  check([
    ["unset", ({ filter }) => delete filter.processing_mode, [
      "warning envoy-extra-messages response_header_mode",
    ]],
    ["response headers", ({ filter }) => filter.processing_mode.response_header_mode = "SEND", [
      "warning envoy-extra-messages response_header_mode=SEND",
    ]],
    ["body", ({ filter }) => filter.processing_mode.request_body_mode = "BUFFERED", [
      "warning envoy-extra-messages request_body_mode=BUFFERED",
    ]],
    ["trailers", ({ filter }) => filter.processing_mode.response_trailer_mode = "SEND", [
      "warning envoy-extra-messages response_trailer_mode=SEND",
    ]],
    ["numbers", ({ filter }) => {
      filter.processing_mode.response_header_mode = 2;
      filter.processing_mode.request_body_mode = 0;
    }, []],
  ]);
});

Deno.test("metadata that Envoy does not take is a warning, an error where it names the worker", () => {
  const drop: Change = ({ filter }) => delete filter.metadata_options;
  const what = "metadata_options.receiving_namespaces.untyped";
  check([
    ["authority", drop, [`warning envoy-namespace ${what}`]],
    ["original-dst", drop, [`error envoy-namespace ${what}`], { routeMode: "original-dst" }],
    [
      "another one",
      ({ filter }) => filter.metadata_options.receiving_namespaces.untyped = ["other"],
      [`warning envoy-namespace ${what}`],
    ],
  ]);
});

Deno.test("what a restart of the router would cost is a warning", () => {
  const policy = "grpc_service retry_policy";
  check([
    ["no policy", ({ filter }) => delete filter.grpc_service.retry_policy, [
      `warning envoy-retry-policy ${policy}`,
    ]],
    ["no reset", ({ filter }) => filter.grpc_service.retry_policy.retry_on = "connect-failure", [
      `warning envoy-retry-policy ${policy}`,
    ]],
    ["few tries", ({ filter }) => filter.grpc_service.retry_policy.num_retries = 3, [
      `warning envoy-retry-policy ${policy}`,
    ]],
    ["enough tries", ({ filter }) => filter.grpc_service.retry_policy.num_retries = 8, []],
    ["unavailable", ({ filter }) => {
      filter.grpc_service.retry_policy.retry_on = "connect-failure, reset, unavailable";
    }, [`warning envoy-retry-policy ${policy}`]],
    ["500", ({ filter }) => delete filter.status_on_error, [
      "warning envoy-status-on-error status_on_error",
    ]],
    ["502", ({ filter }) => filter.status_on_error.code = 502, [
      "warning envoy-status-on-error status_on_error=502",
    ]],
    ["503", ({ filter }) => filter.status_on_error.code = 503, []],
  ]);
});
