import { assertEquals, assertThrows } from "@std/assert";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  HealthCheckRequestSchema,
  HealthCheckResponseSchema,
} from "../../src/gen/grpc/health/v1/health_pb.ts";
import { WireError } from "../../src/wire/error.ts";
import { decodeHealthRequest, encodeHealthResponse, ServingStatus } from "../../src/wire/health.ts";
import { concat, field, number } from "./support/bytes.ts";

Deno.test("the service asked for", () => {
  for (const service of ["", "envoy.service.ext_proc.v3.ExternalProcessor", "gr\u00fc\u00df"]) {
    const bytes = toBinary(HealthCheckRequestSchema, create(HealthCheckRequestSchema, { service }));
    assertEquals(decodeHealthRequest(bytes), service);
  }
  assertEquals(decodeHealthRequest(concat(field(1, "a"), number(9, 1), field(1, "b"))), "b");
  for (const bytes of [[0x0a], [0x08, 0x01], field(1, [0xff])]) {
    assertThrows(() => decodeHealthRequest(Uint8Array.from(bytes)), WireError);
  }
});

Deno.test("the status answered", () => {
  for (const status of Object.values(ServingStatus)) {
    const bytes = encodeHealthResponse(status);
    assertEquals(fromBinary(HealthCheckResponseSchema, bytes).status as number, status);
    assertEquals(bytes, Uint8Array.of(8, status));
  }
});
