// gRPC health v1 on the wire: the service name that is asked for, the status that is answered.
// Used by health.ts of the ext_proc service.
import { Reader, Wire } from "./reader.ts";
import { Writer } from "./writer.ts";

/** HealthCheckResponse.ServingStatus. */
export const ServingStatus = { SERVING: 1, NOT_SERVING: 2, SERVICE_UNKNOWN: 3 } as const;
export type ServingStatus = typeof ServingStatus[keyof typeof ServingStatus];

const SERVICE = (1 << 3) | Wire.LEN;
const DECLARED = 0b10;

const writer = new Writer();
const reader = new Reader();

/**
 * The service named by a HealthCheckRequest; empty = the whole server.
 * @throws {WireError} when the bytes are not one.
 */
export function decodeHealthRequest(bytes: Uint8Array): string {
  const end = bytes.length;
  let service = "";
  reader.open(bytes);
  while (reader.pos < end) {
    const tag = reader.tag(end);
    if (tag === SERVICE) service = reader.string(end);
    else reader.unknown(tag, end, DECLARED);
  }
  return service;
}

/** HealthCheckResponse {1: status}. */
export function encodeHealthResponse(status: ServingStatus): Uint8Array {
  writer.begin();
  writer.uint32(1, status);
  return writer.finish();
}
