// The parts of Envoy's v3 API that we write, as TypeScript sees them: proto3 JSON with the field
// names of the .proto files, so that the same values print as YAML or JSON and encode to protobuf.
// Filled by the resources_* files, read by bootstrap.ts, print.ts and the checks. No behaviour.

/** A proto3 JSON value. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [name: string]: Json | undefined };

/** An object of {@link Json}. */
export type JsonObject = { readonly [name: string]: Json | undefined };

/** A duration as proto3 JSON writes it: seconds with an `s`. */
export type DurationText = `${number}s`;

/** `google.protobuf.Any` in proto3 JSON: the message's fields beside its `@type`. */
export type AnyMessage = JsonObject & { readonly "@type": string };

/** `envoy.config.core.v3.TypedExtensionConfig`. */
export type TypedExtension = { readonly name: string; readonly typed_config: AnyMessage };

export type SocketAddressBlock = {
  readonly socket_address: {
    readonly address: string;
    readonly port_value: number;
    /** Of `::`: takes IPv4 connections too. */
    readonly ipv4_compat?: true;
  };
};

/** `envoy.config.cluster.v3.Cluster`, the fields we use. */
export type Cluster = {
  readonly name: string;
  readonly connect_timeout: DurationText;
  readonly type?: "STATIC" | "STRICT_DNS" | "ORIGINAL_DST";
  readonly cluster_type?: TypedExtension;
  readonly lb_policy?: "ROUND_ROBIN" | "CLUSTER_PROVIDED";
  readonly original_dst_lb_config?: JsonObject;
  readonly circuit_breakers?: { readonly thresholds: readonly Thresholds[] };
  readonly typed_extension_protocol_options?: { readonly [name: string]: AnyMessage };
  readonly load_assignment?: JsonObject;
};

/** `envoy.config.cluster.v3.CircuitBreakers.Thresholds`. */
export type Thresholds = {
  readonly priority: "DEFAULT";
  readonly max_connections: number;
  readonly max_pending_requests: number;
  readonly max_requests: number;
  readonly max_retries: number;
  readonly track_remaining: boolean;
};

/** `envoy.config.route.v3.Route`. */
export type Route = {
  readonly name: string;
  readonly match: JsonObject;
  readonly route?: JsonObject;
  readonly direct_response?: JsonObject;
};

/** `envoy.config.route.v3.RouteConfiguration`. */
export type RouteConfiguration = {
  readonly name: string;
  readonly virtual_hosts: readonly {
    readonly name: string;
    readonly domains: readonly string[];
    readonly routes: readonly Route[];
  }[];
};

/** `envoy.config.listener.v3.Listener`. */
export type Listener = {
  readonly name: string;
  readonly address: SocketAddressBlock;
  readonly per_connection_buffer_limit_bytes: number;
  readonly filter_chains: readonly {
    readonly filters: readonly TypedExtension[];
    readonly transport_socket?: TypedExtension;
  }[];
};

/** `envoy.extensions.transport_sockets.tls.v3.Secret` with a certificate in it. */
export type Secret = { readonly name: string; readonly tls_certificate: JsonObject };

/** `envoy.config.bootstrap.v3.Bootstrap`. */
export type Bootstrap = {
  readonly node: { readonly id: string; readonly cluster: string };
  readonly admin?: JsonObject;
  readonly static_resources: {
    readonly listeners?: readonly Listener[];
    readonly clusters: readonly Cluster[];
    readonly secrets?: readonly Secret[];
  };
  readonly dynamic_resources?: JsonObject;
  readonly layered_runtime: JsonObject;
  readonly overload_manager: JsonObject;
};
