import { assertEquals } from "@std/assert";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  type ProcessingResponse,
  ProcessingResponseSchema,
} from "../../src/gen/envoy/service/ext_proc/v3/external_processor_pb.ts";
import { RequestKind } from "../../src/wire/ext_proc.ts";
import {
  type AtenetMetadata,
  emptyReply,
  encodeContinue,
  encodeImmediate,
  encodeMutation,
  type ImmediateParts,
} from "../../src/wire/ext_proc_reply.ts";
import { hex } from "./support/bytes.ts";

const PLAIN: AtenetMetadata = {
  outcome: "ok",
  park: undefined,
  parkedMs: 0,
  attempts: 1,
  worker: undefined,
};
const PARKED: AtenetMetadata = {
  outcome: "no_capacity",
  park: "budget_exhausted",
  parkedMs: 5001,
  attempts: 17,
  worker: undefined,
};
const SHED: ImmediateParts = {
  httpStatus: 503,
  headers: [["content-type", "text/plain"], ["retry-after", "1"]],
  body: "actor a1 unavailable: no free workers",
  grpcStatus: 14,
  details: "no_capacity",
};
const OVERWRITE = 2;

function decode(bytes: Uint8Array): ProcessingResponse {
  return fromBinary(ProcessingResponseSchema, bytes);
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** `atenet` of the metadata, as JSON. */
function atenet(bytes: Uint8Array): unknown {
  return decode(bytes).dynamicMetadata?.atenet;
}

Deno.test("B20: golden bytes: the mutation carries :authority in raw_value (field 3) only", () => {
  const golden = "0a25" + // request_headers: HeadersResponse
    "0a23" + // response: CommonResponse
    "1221" + // header_mutation
    "0a1f" + // set_headers: HeaderValueOption
    "0a1b" + // header: HeaderValue
    "0a0a" + hex(new TextEncoder().encode(":authority")) + // key
    "1a0d" + hex(new TextEncoder().encode("10.1.2.3:8080")) + // raw_value
    "1802" + // append_action: OVERWRITE_IF_EXISTS_OR_ADD
    "424e" + // dynamic_metadata: Struct
    "0a4c" + "0a06" + hex(new TextEncoder().encode("atenet")) + "1242" + "2a40" +
    "0a0f" + "0a07" + hex(new TextEncoder().encode("outcome")) + "1204" + "1a02" + "6f6b" +
    "0a16" + "0a09" + hex(new TextEncoder().encode("parked_ms")) + "1209" + "110000000000000000" +
    "0a15" + "0a08" + hex(new TextEncoder().encode("attempts")) + "1209" + "11000000000000f03f";
  assertEquals(hex(encodeMutation("10.1.2.3:8080", PLAIN)), golden);
});

Deno.test("B20: no header of any answer has a value, all have a raw_value and overwrite", () => {
  const routed = decode(encodeMutation("[fd00::1]:80", PLAIN)).response;
  if (routed.case !== "requestHeaders") {
    throw new TypeError(`Cannot read as routed: ${routed.case}`);
  }
  const denied = decode(encodeImmediate(SHED, PARKED)).response;
  if (denied.case !== "immediateResponse") {
    throw new TypeError(`Cannot read as denied: ${denied.case}`);
  }
  const mutations = [routed.value.response?.headerMutation, denied.value.headers];
  const seen = mutations.map((mutation) =>
    mutation?.setHeaders.map(({ header, appendAction }) => {
      assertEquals([header?.value, appendAction], ["", OVERWRITE]);
      return [header?.key, text(header?.rawValue ?? new Uint8Array(0))];
    })
  );
  assertEquals(seen, [
    [[":authority", "[fd00::1]:80"]],
    [["content-type", "text/plain"], ["retry-after", "1"]],
  ]);
});

Deno.test("a mutation is byte for byte what protobuf-es writes", () => {
  for (const metadata of [PLAIN, { ...PARKED, outcome: "ok", park: "served" }]) {
    const park: Record<string, string> = metadata.park === undefined ? {} : { park: metadata.park };
    const expected = toBinary(
      ProcessingResponseSchema,
      create(ProcessingResponseSchema, {
        response: {
          case: "requestHeaders",
          value: {
            response: {
              headerMutation: {
                setHeaders: [{
                  header: { key: ":authority", rawValue: new TextEncoder().encode("10.0.0.9:80") },
                  appendAction: OVERWRITE,
                }],
              },
            },
          },
        },
        dynamicMetadata: {
          atenet: {
            outcome: "ok",
            ...park,
            parked_ms: metadata.parkedMs,
            attempts: metadata.attempts,
          },
        },
      }),
    );
    assertEquals(hex(encodeMutation("10.0.0.9:80", metadata)), hex(expected));
  }
});

Deno.test("an immediate response is byte for byte what protobuf-es writes", () => {
  for (const body of [SHED.body, "", "gr\u00fc\u00df".repeat(100)]) {
    const expected = toBinary(
      ProcessingResponseSchema,
      create(ProcessingResponseSchema, {
        response: {
          case: "immediateResponse",
          value: {
            status: { code: 503 },
            headers: {
              setHeaders: SHED.headers.map(([key, value]) => ({
                header: { key, rawValue: new TextEncoder().encode(value) },
                appendAction: OVERWRITE,
              })),
            },
            body: new TextEncoder().encode(body),
            grpcStatus: { status: 14 },
            details: "no_capacity",
          },
        },
        dynamicMetadata: {
          atenet: {
            outcome: "no_capacity",
            park: "budget_exhausted",
            parked_ms: 5001,
            attempts: 17,
          },
        },
      }),
    );
    assertEquals(hex(encodeImmediate({ ...SHED, body }, PARKED)), hex(expected));
  }
});

Deno.test("routed to an original destination: no mutation, the worker in the metadata", () => {
  const bytes = encodeContinue({ ...PLAIN, worker: "10.0.0.1:80" });
  const { response } = decode(bytes);
  assertEquals(response.case, "requestHeaders");
  assertEquals(response.value, create(ProcessingResponseSchema.fields[0]!.message!));
  assertEquals(atenet(bytes), { outcome: "ok", parked_ms: 0, attempts: 1, worker: "10.0.0.1:80" });
});

Deno.test("the park word is there only when there was a park", () => {
  assertEquals(atenet(encodeMutation("1.2.3.4:80", PLAIN)), {
    outcome: "ok",
    parked_ms: 0,
    attempts: 1,
  });
  assertEquals(atenet(encodeMutation("1.2.3.4:80", { ...PLAIN, park: "served", parkedMs: 12 })), {
    outcome: "ok",
    park: "served",
    parked_ms: 12,
    attempts: 1,
  });
});

Deno.test("the empty answer to each other kind of message", () => {
  const table: [RequestKind, string][] = [
    [RequestKind.REQUEST_HEADERS, "0a00"],
    [RequestKind.RESPONSE_HEADERS, "1200"],
    [RequestKind.REQUEST_BODY, "1a00"],
    [RequestKind.RESPONSE_BODY, "2200"],
    [RequestKind.REQUEST_TRAILERS, "2a00"],
    [RequestKind.RESPONSE_TRAILERS, "3200"],
  ];
  for (const [kind, bytes] of table) assertEquals(hex(emptyReply(kind)!), bytes);
  assertEquals(emptyReply(RequestKind.UNKNOWN), undefined);
});

Deno.test("grpc_status OK is still a status, not its absence", () => {
  const { response } = decode(encodeImmediate({ ...SHED, grpcStatus: 0 }, PLAIN));
  assertEquals(
    response.case === "immediateResponse" && response.value.grpcStatus?.status,
    0,
  );
});
