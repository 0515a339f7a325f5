// What a ProcessingRequest says according to protobuf-es and a plain reading of the header rules:
// the yardstick of the differential test and of the fuzz target.
import { fromBinary } from "@bufbuild/protobuf";
import {
  type ProcessingRequest,
  ProcessingRequestSchema,
} from "../../../src/gen/envoy/service/ext_proc/v3/external_processor_pb.ts";
import { RequestScan } from "../../../src/wire/ext_proc.ts";
import { WireError } from "../../../src/wire/error.ts";

/** What was found; `undefined` = refused. */
export type Reading = Record<string, unknown> | undefined;

const KINDS: Readonly<Record<string, number>> = {
  requestHeaders: 2,
  responseHeaders: 3,
  requestBody: 4,
  responseBody: 5,
  requestTrailers: 6,
  responseTrailers: 7,
};
const LISTS = ["traceparent", "tracestate", "baggage"];
const SINGLES: Readonly<Record<string, string>> = {
  ":authority": "authority",
  "host": "host",
  ":path": "path",
};

/** As protobuf-es reads it. */
export function theirs(bytes: Uint8Array): Reading {
  let message: ProcessingRequest;
  try {
    message = fromBinary(ProcessingRequestSchema, bytes);
  } catch {
    return undefined;
  }
  const { request } = message;
  const reading: Record<string, unknown> = { kind: KINDS[request.case ?? ""] ?? 0, headers: 0 };
  if (request.case !== "requestHeaders") return reading;
  const headers = request.value.headers?.headers ?? [];
  reading.headers = headers.length;
  for (const { key, value, rawValue } of headers) {
    const name = key.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
    const raw = new TextDecoder("utf-8", { ignoreBOM: true }).decode(rawValue);
    const text = rawValue.length > 0 ? raw : value;
    if (SINGLES[name] !== undefined) reading[SINGLES[name]] = text;
    if (LISTS.includes(name)) reading[name] = name in reading ? `${reading[name]},${text}` : text;
  }
  return reading;
}

const scan = new RequestScan();

/** As our scan reads it. @throws whatever is not a WireError: a crash. */
export function ours(bytes: Uint8Array): Reading {
  try {
    scan.scan(bytes);
  } catch (error) {
    if (error instanceof WireError) return undefined;
    throw error;
  }
  const { kind, headers, authority, host, path, traceparent, tracestate, baggage } = scan;
  const all = { kind, headers, authority, host, path, traceparent, tracestate, baggage };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}
