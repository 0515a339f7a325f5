// Small helpers for proto3 JSON: durations and typed messages.
// Used by every resources_* file. Owned by the Envoy room.
import type { AnyMessage, DurationText, JsonObject, TypedExtension } from "./types.ts";

/**
 * A duration in proto3 JSON, rounded up to whole ms.
 * @param ms 0 or more.
 * @throws {RangeError} when it is negative or not a number a duration can hold.
 */
export function duration(ms: number): DurationText {
  const whole = Math.ceil(ms);
  if (!Number.isSafeInteger(whole) || whole < 0) {
    throw new RangeError(`Cannot write duration as milliseconds: ${ms}`);
  }
  return `${whole / 1000}s`;
}

/** A message packed into `google.protobuf.Any`; `type` without the URL's host. */
export function any(type: string, fields: JsonObject = {}): AnyMessage {
  return { "@type": `type.googleapis.com/${type}`, ...fields };
}

/** An extension: its name and its typed configuration. */
export function extension(name: string, type: string, fields: JsonObject = {}): TypedExtension {
  return { name, typed_config: any(type, fields) };
}

const HTTP_PROTOCOL_OPTIONS = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions";

/** A cluster's `typed_extension_protocol_options` with its HTTP options. */
export function httpProtocolOptions(fields: JsonObject): { readonly [name: string]: AnyMessage } {
  return { [HTTP_PROTOCOL_OPTIONS]: any(HTTP_PROTOCOL_OPTIONS, fields) };
}
