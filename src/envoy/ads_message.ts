// The messages of the ADS stream, bytes to values and back. What a peer sends is believed only
// within bounds; a request beyond them is refused, never cut. Read by ads_stream.ts.
// Owned by the Envoy room.
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import type { Any } from "@bufbuild/protobuf/wkt";
import {
  DiscoveryRequestSchema,
  DiscoveryResponseSchema,
} from "../gen/envoy/service/discovery/v3/discovery_pb.ts";

/** An Envoy's first request is about 61 kB: it lists every extension it has. */
export const REQUEST_BYTES_MAX = 1_048_576;
/** Names of one request. */
export const NAMES_MAX = 100;
/** Characters of a name, a type, a version, a nonce or a node id. */
export const WORD_CHARS_MAX = 256;

/** One request of an Envoy: a subscription, or its answer to a response. */
export interface AdsRequest {
  /** `node.id`; empty when it does not say, which it need not after the first request. */
  readonly nodeId: string;
  readonly nodeCluster: string;
  readonly typeUrl: string;
  /** What Envoy uses of this type; empty at first. */
  readonly version: string;
  /** Of the response that is answered; empty when it answers none. */
  readonly nonce: string;
  readonly names: readonly string[];
  /** Why that response was refused; undefined when it was not. */
  readonly error: string | undefined;
}

/** What is sent: every resource of one type that was asked for. */
export interface AdsResponse {
  readonly typeUrl: string;
  readonly version: string;
  readonly nonce: string;
  readonly resources: readonly Any[];
}

/**
 * Reads a request.
 * @throws {SyntaxError} when it cannot be decoded or is beyond a bound; the message says which.
 */
export function decodeRequest(bytes: Uint8Array): AdsRequest {
  const message = decoded(bytes);
  const { versionInfo, node, resourceNames, typeUrl, responseNonce, errorDetail } = message;
  if (typeUrl === "") throw new SyntaxError("the request names no type");
  if (resourceNames.length > NAMES_MAX) {
    throw new SyntaxError(`the request has more than ${NAMES_MAX} names`);
  }
  const words = [typeUrl, versionInfo, responseNonce, node?.id, node?.cluster, ...resourceNames];
  if (words.some((word) => word !== undefined && word.length > WORD_CHARS_MAX)) {
    throw new SyntaxError(`the request has a word longer than ${WORD_CHARS_MAX} characters`);
  }
  return {
    nodeId: node?.id ?? "",
    nodeCluster: node?.cluster ?? "",
    typeUrl,
    version: versionInfo,
    nonce: responseNonce,
    names: resourceNames,
    error: errorDetail?.message,
  };
}

/** Writes a response. */
export function encodeResponse(response: AdsResponse): Uint8Array {
  const { typeUrl, version, nonce, resources } = response;
  return toBinary(
    DiscoveryResponseSchema,
    create(DiscoveryResponseSchema, {
      typeUrl,
      versionInfo: version,
      nonce,
      resources: [...resources],
    }),
  );
}

function decoded(bytes: Uint8Array) {
  try {
    return fromBinary(DiscoveryRequestSchema, bytes, { readUnknownFields: false });
  } catch (cause) {
    throw new SyntaxError("the request cannot be decoded", { cause });
  }
}
