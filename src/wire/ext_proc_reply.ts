// Writes Envoy's ProcessingResponse: the header mutation or empty answer of a routed request, the
// immediate response of a denied one, the empty answer to any other message. Used by reply.ts of
// the ext_proc service. Its counterpart is ext_proc.ts.
import { RequestKind } from "./ext_proc.ts";
import { Writer } from "./writer.ts";

/** `atenet: {…}` in the dynamic metadata, for access logs and ORIGINAL_DST. */
export interface AtenetMetadata {
  readonly outcome: string;
  /** Left out when undefined. */
  readonly park: string | undefined;
  readonly parkedMs: number;
  readonly attempts: number;
  /** `ip:port`; left out when undefined. */
  readonly worker: string | undefined;
}

/** One header of an immediate response. */
export type HeaderPair = readonly [name: string, value: string];

/** What an immediate response says. */
export interface ImmediateParts {
  readonly httpStatus: number;
  readonly headers: readonly HeaderPair[];
  readonly body: string;
  readonly grpcStatus: number;
  readonly details: string;
}

/** HeaderValueOption.HeaderAppendAction. */
const OVERWRITE_IF_EXISTS_OR_ADD = 2;
const NAMESPACE = "atenet";

const writer = new Writer();

/** Routed by header mutation: `:authority` becomes `target` (`ip:port`). */
export function encodeMutation(target: string, metadata: AtenetMetadata): Uint8Array {
  writer.begin();
  writeMetadata(metadata);
  const response = writer.mark();
  writeHeader([":authority", target]);
  writer.message(2, response); // CommonResponse.header_mutation
  writer.message(1, response); // HeadersResponse.response
  writer.message(1, response); // ProcessingResponse.request_headers
  return writer.finish();
}

/** Routed without a mutation: the worker travels in the metadata. */
export function encodeContinue(metadata: AtenetMetadata): Uint8Array {
  writer.begin();
  writeMetadata(metadata);
  writer.message(1, writer.mark()); // ProcessingResponse.request_headers {}
  return writer.finish();
}

/** Denied: Envoy answers the client by itself. */
export function encodeImmediate(parts: ImmediateParts, metadata: AtenetMetadata): Uint8Array {
  writer.begin();
  writeMetadata(metadata);
  const response = writer.mark();
  writer.string(5, parts.details);
  const grpc = writer.mark();
  if (parts.grpcStatus !== 0) writer.uint32(1, parts.grpcStatus);
  writer.message(4, grpc); // ImmediateResponse.grpc_status
  if (parts.body !== "") writer.text(3, parts.body);
  const headers = writer.mark();
  for (let i = parts.headers.length - 1; i >= 0; i--) writeHeader(parts.headers[i]!);
  writer.message(2, headers); // ImmediateResponse.headers
  const status = writer.mark();
  writer.uint32(1, parts.httpStatus); // HttpStatus.code
  writer.message(1, status); // ImmediateResponse.status
  writer.message(7, response); // ProcessingResponse.immediate_response
  return writer.finish();
}

/**
 * The empty answer to a message that asks for no verdict; undefined when no kind matches. Response
 * fields are numbered one below the request's.
 */
export function emptyReply(kind: RequestKind): Uint8Array | undefined {
  return EMPTY_REPLIES[kind];
}

const EMPTY_REPLIES: readonly (Uint8Array | undefined)[] = Array.from(
  { length: RequestKind.RESPONSE_TRAILERS + 1 },
  (_, kind) => {
    if (kind < RequestKind.REQUEST_HEADERS) return undefined;
    writer.message(kind - 1, writer.mark());
    return writer.finish();
  },
);

/** HeaderMutation.set_headers += one HeaderValueOption, by raw_value only. */
function writeHeader([name, value]: HeaderPair): void {
  const option = writer.mark();
  writer.uint32(3, OVERWRITE_IF_EXISTS_OR_ADD); // append_action
  const header = writer.mark();
  writer.text(3, value); // raw_value: a `value` here makes Envoy forward an empty header
  writer.string(1, name); // key
  writer.message(1, header); // HeaderValueOption.header
  writer.message(1, option); // HeaderMutation.set_headers
}

/** ProcessingResponse.dynamic_metadata: a Struct with one field that is a Struct. */
function writeMetadata(metadata: AtenetMetadata): void {
  const outer = writer.mark();
  if (metadata.worker !== undefined) writeText("worker", metadata.worker);
  writeNumber("attempts", metadata.attempts);
  writeNumber("parked_ms", metadata.parkedMs);
  if (metadata.park !== undefined) writeText("park", metadata.park);
  writeText("outcome", metadata.outcome);
  writer.message(5, outer); // Value.struct_value
  writer.message(2, outer); // entry: value
  writer.string(1, NAMESPACE); // entry: key
  writer.message(1, outer); // Struct.fields
  writer.message(8, outer); // ProcessingResponse.dynamic_metadata
}

function writeText(key: string, text: string): void {
  const entry = writer.mark();
  writer.string(3, text); // Value.string_value
  writer.message(2, entry);
  writer.string(1, key);
  writer.message(1, entry);
}

function writeNumber(key: string, value: number): void {
  const entry = writer.mark();
  writer.double(2, value); // Value.number_value
  writer.message(2, entry);
  writer.string(1, key);
  writer.message(1, entry);
}
