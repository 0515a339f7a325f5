// The resource types that are served over ADS, in the order in which they are pushed, and the
// registry that turns their proto3 JSON into bytes. Read by ads_snapshot.ts and ads_message.ts.
// Owned by the Envoy room.
import { createRegistry, type Registry } from "@bufbuild/protobuf";
import { ListenerSchema } from "../gen/envoy/config/listener/v3/listener_pb.ts";
import { RouteConfigurationSchema } from "../gen/envoy/config/route/v3/route_pb.ts";
import { OpenTelemetryConfigSchema } from "../gen/envoy/config/trace/v3/opentelemetry_pb.ts";
import { StdoutAccessLogSchema } from "../gen/envoy/extensions/access_loggers/stream/v3/stream_pb.ts";
import { FilterConfigSchema } from "../gen/envoy/extensions/filters/http/dynamic_forward_proxy/v3/dynamic_forward_proxy_pb.ts";
import { ExternalProcessorSchema } from "../gen/envoy/extensions/filters/http/ext_proc/v3/ext_proc_pb.ts";
import { ConfigSchema } from "../gen/envoy/extensions/filters/http/header_to_metadata/v3/header_to_metadata_pb.ts";
import { RouterSchema } from "../gen/envoy/extensions/filters/http/router/v3/router_pb.ts";
import { HttpConnectionManagerSchema } from "../gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";
import { HeaderMutationSchema } from "../gen/envoy/extensions/http/early_header_mutation/header_mutation/v3/header_mutation_pb.ts";
import { SecretSchema } from "../gen/envoy/extensions/transport_sockets/tls/v3/secret_pb.ts";
import { DownstreamTlsContextSchema } from "../gen/envoy/extensions/transport_sockets/tls/v3/tls_pb.ts";

/** The URL of a message type, as `Any` and Envoy's requests name it. */
function urlOf({ typeName }: { readonly typeName: string }): string {
  return `type.googleapis.com/${typeName}`;
}

export const LISTENER_TYPE: string = urlOf(ListenerSchema);
export const ROUTE_TYPE: string = urlOf(RouteConfigurationSchema);
export const SECRET_TYPE: string = urlOf(SecretSchema);

/**
 * In the order in which a change is pushed: a listener names the route table and the certificate it
 * needs. Clusters are in the bootstrap and never served.
 */
export const SERVED_TYPES: readonly string[] = [LISTENER_TYPE, ROUTE_TYPE, SECRET_TYPE];

/** Asked for by name, because a listener says which. Everything else can be asked for as a whole. */
export function isNamedType(typeUrl: string): boolean {
  return typeUrl === ROUTE_TYPE || typeUrl === SECRET_TYPE;
}

/** Every message that stands in a resource, itself or inside an `Any`. */
export const RESOURCE_REGISTRY: Registry = createRegistry(
  ListenerSchema,
  RouteConfigurationSchema,
  SecretSchema,
  ConfigSchema,
  DownstreamTlsContextSchema,
  ExternalProcessorSchema,
  FilterConfigSchema,
  HeaderMutationSchema,
  HttpConnectionManagerSchema,
  OpenTelemetryConfigSchema,
  RouterSchema,
  StdoutAccessLogSchema,
);
