// The access log: one JSON object a line on stdout, with what the router said of the request.
// Query strings and userinfo are left out: they may hold secrets. Owned by the Envoy room.
import { REQUEST_NAMESPACE, VERDICT_NAMESPACE } from "./names.ts";
import { extension } from "./proto_json.ts";
import type { JsonObject, TypedExtension } from "./types.ts";

/** Longest host that is logged; a longer one is cut. */
const HOST_CHARS = 253;
const PATH_CHARS = 512;

function verdictField(key: string): string {
  return `%DYNAMIC_METADATA(${VERDICT_NAMESPACE}:${key})%`;
}

/** Field name -> Envoy command operator. Numbers stay numbers, what is not there is `null`. */
const FIELDS: JsonObject = {
  time: "%START_TIME(%Y-%m-%dT%H:%M:%S.%3fZ)%",
  method: "%REQ(:METHOD)%",
  host: `%DYNAMIC_METADATA(${REQUEST_NAMESPACE}:host):${HOST_CHARS}%`,
  path: `%PATH(NQ):${PATH_CHARS}%`,
  protocol: "%PROTOCOL%",
  status: "%RESPONSE_CODE%",
  details: "%RESPONSE_CODE_DETAILS%",
  flags: "%RESPONSE_FLAGS%",
  outcome: verdictField("outcome"),
  park: verdictField("park"),
  parked_ms: verdictField("parked_ms"),
  attempts: verdictField("attempts"),
  duration_ms: "%DURATION%",
  bytes_in: "%BYTES_RECEIVED%",
  bytes_out: "%BYTES_SENT%",
  worker: "%UPSTREAM_HOST%",
  client: "%DOWNSTREAM_REMOTE_ADDRESS%",
  request_id: "%REQ(X-REQUEST-ID)%",
  trace_id: "%TRACE_ID%",
};

/** The access log of the HTTP connection manager. */
export function accessLog(): TypedExtension {
  return extension(
    "envoy.access_loggers.stdout",
    "envoy.extensions.access_loggers.stream.v3.StdoutAccessLog",
    { log_format: { json_format: FIELDS } },
  );
}

/**
 * Keeps the host the client asked for, without userinfo: after the verdict :authority may be
 * the worker's address. Goes before ext_proc.
 */
export function rememberHostFilter(): TypedExtension {
  const type = "envoy.extensions.filters.http.header_to_metadata.v3.Config";
  return extension("envoy.filters.http.header_to_metadata", type, {
    request_rules: [{
      header: ":authority",
      on_header_present: {
        metadata_namespace: REQUEST_NAMESPACE,
        key: "host",
        type: "STRING",
        regex_value_rewrite: { pattern: { regex: "^.*@" }, substitution: "***@" },
      },
    }],
  });
}
