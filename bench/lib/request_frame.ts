// The bytes of one ext_proc request, as Envoy sends it for an ordinary HTTP request: a gRPC frame
// with ProcessingRequest.request_headers. Made with the generated code, not with the code under test.
import { create, toBinary } from "@bufbuild/protobuf";
import { HeaderMapSchema, HeaderValueSchema } from "../../src/gen/envoy/config/core/v3/base_pb.ts";
import {
  HttpHeadersSchema,
  ProcessingRequestSchema,
} from "../../src/gen/envoy/service/ext_proc/v3/external_processor_pb.ts";

export const PROCESS_PATH = "/envoy.service.ext_proc.v3.ExternalProcessor/Process";

const PREFIX_BYTES = 5;

/** A gRPC frame (5-byte prefix and message) for a request to `host`. */
export function requestFrame(host: string): Uint8Array {
  const raw = new TextEncoder();
  const headers = [
    [":authority", host],
    [":path", "/"],
    [":method", "GET"],
    [":scheme", "http"],
    ["user-agent", "bench"],
    ["accept", "*/*"],
    ["x-forwarded-proto", "http"],
    ["x-request-id", "8d6b2f0e-6f2a-4c0e-9a53-0c0d8a3f9d11"],
  ].map(([key = "", value = ""]) =>
    create(HeaderValueSchema, { key, rawValue: raw.encode(value) })
  );
  const message = toBinary(
    ProcessingRequestSchema,
    create(ProcessingRequestSchema, {
      request: {
        case: "requestHeaders",
        value: create(HttpHeadersSchema, {
          headers: create(HeaderMapSchema, { headers }),
          endOfStream: true,
        }),
      },
    }),
  );
  const frame = new Uint8Array(PREFIX_BYTES + message.length);
  new DataView(frame.buffer).setUint32(1, message.length);
  frame.set(message, PREFIX_BYTES);
  return frame;
}

/** The host of the n-th actor of the simulated control plane. */
export function actorHost(n: number): string {
  return `a${n}.demo.actors.resources.substrate.ate.dev`;
}
