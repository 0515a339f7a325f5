// ext_proc messages as tests build and read them, over the generated classes: an opinion on the wire
// format that is independent of the hand-written one in src/wire.
import { create, fromBinary, type JsonObject, toBinary } from "@bufbuild/protobuf";
import {
  type ProcessingRequest,
  ProcessingRequestSchema,
  type ProcessingResponse,
  ProcessingResponseSchema,
} from "../../src/gen/envoy/service/ext_proc/v3/external_processor_pb.ts";

export type { ProcessingRequest, ProcessingResponse };

export const PROCESS_PATH = "/envoy.service.ext_proc.v3.ExternalProcessor/Process";

const text = new TextEncoder();

/** Headers in order; names may repeat. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

/** The bytes of a RequestHeaders message; values go where Envoy puts them, into raw_value. */
export function requestHeadersBytes(headers: HeaderList): Uint8Array {
  return toBinary(
    ProcessingRequestSchema,
    create(ProcessingRequestSchema, {
      request: {
        case: "requestHeaders",
        value: {
          headers: {
            headers: headers.map(([key, value]) => ({ key, rawValue: text.encode(value) })),
          },
          endOfStream: true,
        },
      },
    }),
  );
}

/** The bytes of a message of another kind than RequestHeaders, with nothing in it. */
export function otherRequestBytes(
  kind: "responseHeaders" | "requestBody" | "responseBody" | "requestTrailers" | "responseTrailers",
): Uint8Array {
  return toBinary(
    ProcessingRequestSchema,
    create(ProcessingRequestSchema, {
      request: { case: kind, value: {} } as ProcessingRequest["request"],
    }),
  );
}

/** Names and values of a RequestHeaders message, whichever field the value is in. */
export function headersOf(message: ProcessingRequest): Map<string, string> {
  const { request } = message;
  if (request.case !== "requestHeaders") return new Map();
  const list = request.value.headers?.headers ?? [];
  return new Map(list.map(({ key, value, rawValue }) => [
    key,
    rawValue.length > 0 ? new TextDecoder().decode(rawValue) : value,
  ]));
}

export function decodeRequest(bytes: Uint8Array): ProcessingRequest {
  return fromBinary(ProcessingRequestSchema, bytes);
}

export function decodeResponse(bytes: Uint8Array): ProcessingResponse {
  return fromBinary(ProcessingResponseSchema, bytes);
}

export function encodeResponse(message: ProcessingResponse): Uint8Array {
  return toBinary(ProcessingResponseSchema, message);
}

/** `atenet` metadata of a routed request. */
export const OK_METADATA: JsonObject = { outcome: "ok", parked_ms: 0, attempts: 1 };

/** Routed by `:authority`; `field` says where the value is written. */
export function routedTo(
  target: string,
  metadata: JsonObject = OK_METADATA,
  field: "rawValue" | "value" = "rawValue",
): ProcessingResponse {
  const value = field === "value" ? { value: target } : { rawValue: text.encode(target) };
  return create(ProcessingResponseSchema, {
    response: {
      case: "requestHeaders",
      value: {
        response: {
          headerMutation: {
            setHeaders: [{ header: { key: ":authority", ...value }, appendAction: 2 }],
          },
        },
      },
    },
    dynamicMetadata: { atenet: metadata },
  });
}

/** An empty HeadersResponse with metadata: the original-dst way. */
export function continuedWith(metadata?: JsonObject): ProcessingResponse {
  return create(ProcessingResponseSchema, {
    response: { case: "requestHeaders", value: {} },
    ...(metadata === undefined ? {} : { dynamicMetadata: { atenet: metadata } }),
  });
}

/** An immediate response as the router writes it. */
export function deniedWith(
  status: number,
  body: string,
  metadata: JsonObject,
  grpcStatus = 14,
): ProcessingResponse {
  return create(ProcessingResponseSchema, {
    response: {
      case: "immediateResponse",
      value: {
        status: { code: status },
        headers: {
          setHeaders: [{
            header: { key: "content-type", rawValue: text.encode("text/plain") },
            appendAction: 2,
          }],
        },
        body: text.encode(body),
        grpcStatus: { status: grpcStatus },
        details: String(metadata["outcome"] ?? ""),
      },
    },
    dynamicMetadata: { atenet: metadata },
  });
}
