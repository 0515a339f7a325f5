// One snapshot of what is served over ADS: a pure function of the options, encoded, with a version
// per type that is a hash of its content. The same flags give the same versions in every router and
// after every restart, so an Envoy that comes back is sent nothing it has. Owned by the Envoy room.
import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import { type Any, AnySchema } from "@bufbuild/protobuf/wkt";
import { encodeResponse } from "./ads_message.ts";
import { adsResources } from "./ads_resources.ts";
import { LISTENER_TYPE, RESOURCE_REGISTRY, ROUTE_TYPE, SECRET_TYPE } from "./ads_types.ts";
import type { EnvoyOptions } from "./options.ts";

/** Everything of one type. */
export interface AdsTypeSnapshot {
  /** Equal content, equal version. */
  readonly version: string;
  /** By resource name. */
  readonly resources: ReadonlyMap<string, Any>;
}

/** Everything that is served, by type URL. */
export type AdsSnapshot = ReadonlyMap<string, AdsTypeSnapshot>;

/** 64 bits tell versions apart; the rest would only fill logs. */
const VERSION_HEX_CHARS = 16;

interface Named {
  readonly name: string;
}

/**
 * The snapshot of these options.
 * @throws {TypeError} when a resource says something that its protobuf message has no field for.
 */
export async function adsSnapshot(options: EnvoyOptions): Promise<AdsSnapshot> {
  const { listeners, routes, secrets } = adsResources(options);
  return new Map([
    [LISTENER_TYPE, await typeSnapshot(LISTENER_TYPE, listeners)],
    [ROUTE_TYPE, await typeSnapshot(ROUTE_TYPE, routes)],
    [SECRET_TYPE, await typeSnapshot(SECRET_TYPE, secrets)],
  ]);
}

async function typeSnapshot(
  typeUrl: string,
  resources: readonly Named[],
): Promise<AdsTypeSnapshot> {
  const encoded = new Map(resources.map((one) => [one.name, encodeResource(typeUrl, one)]));
  return { version: await versionOf(typeUrl, encoded), resources: encoded };
}

/** A resource in proto3 JSON as the bytes that go to Envoy; nothing of it is dropped silently. */
export function encodeResource(typeUrl: string, resource: Named): Any {
  const json = { "@type": typeUrl, ...resource } as JsonValue;
  try {
    return fromJson(AnySchema, json, { registry: RESOURCE_REGISTRY });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new TypeError(`Cannot encode resource as ${typeUrl}: ${resource.name}: ${why}`, {
      cause,
    });
  }
}

/** The hash of the response that carries everything, without version and nonce. */
async function versionOf(typeUrl: string, resources: ReadonlyMap<string, Any>): Promise<string> {
  const bytes = encodeResponse({
    typeUrl,
    version: "",
    nonce: "",
    resources: [...resources.values()],
  });
  const hash = await crypto.subtle.digest("SHA-256", new Uint8Array(bytes));
  return new Uint8Array(hash).toHex().slice(0, VERSION_HEX_CHARS);
}
