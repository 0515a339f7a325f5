import { assert, assertEquals } from "@std/assert";
import { fromBinary } from "@bufbuild/protobuf";
import { ProcessingResponseSchema } from "../../src/gen/envoy/service/ext_proc/v3/external_processor_pb.ts";
import { REPLIES_KEPT_MAX } from "../../src/extproc/limits.ts";
import { Replies } from "../../src/extproc/reply.ts";
import type { Verdict } from "../../src/engine/mod.ts";
import { hex } from "../wire/support/bytes.ts";
import { denied, routed } from "./support/fake_engine.ts";

const replies = new Replies("authority");

function decode(verdict: Verdict, by = replies) {
  return fromBinary(ProcessingResponseSchema, by.of(verdict));
}

/** The immediate response in plain words. */
function immediate(verdict: Verdict) {
  const { response } = decode(verdict);
  if (response.case !== "immediateResponse") throw new TypeError(`Cannot read: ${response.case}`);
  const { status, headers, body, grpcStatus, details } = response.value;
  const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);
  return {
    status: status?.code as number | undefined,
    headers: Object.fromEntries(
      headers?.setHeaders.map(({ header }) => [header?.key, text(header?.rawValue)]) ?? [],
    ),
    body: text(body),
    grpcStatus: grpcStatus?.status,
    details,
  };
}

Deno.test("B20: routed is one mutation of :authority by raw_value, and nothing else", () => {
  for (const target of ["10.0.0.1:80", "[fd00::1]:8080"]) {
    const { response } = decode(routed(target));
    if (response.case !== "requestHeaders") throw new TypeError(`Cannot read: ${response.case}`);
    const common = response.value.response;
    const [option] = common?.headerMutation?.setHeaders ?? [];
    assertEquals(common?.headerMutation?.setHeaders.length, 1);
    assertEquals(common?.headerMutation?.removeHeaders, []);
    assertEquals([common?.status, common?.clearRouteCache], [0, false]);
    assertEquals([option?.header?.key, option?.header?.value], [":authority", ""]);
    assertEquals(new TextDecoder().decode(option?.header?.rawValue), target);
    assertEquals(option?.appendAction as number, 2);
  }
});

Deno.test("B71: denied says status, body, outcome and the status for gRPC callers", () => {
  const verdict = denied(404, { outcome: "not_found", grpcStatus: 5, body: "actor a1 not found" });
  assertEquals(immediate(verdict), {
    status: 404,
    headers: { "content-type": "text/plain" },
    body: "actor a1 not found",
    grpcStatus: 5,
    details: "not_found",
  });
});

Deno.test("B74: retry-after: 1 on 503 only", () => {
  for (const status of [401, 403, 404, 408, 431, 500, 504]) {
    assertEquals(immediate(denied(status)).headers, { "content-type": "text/plain" });
  }
  assertEquals(immediate(denied(503)).headers, {
    "content-type": "text/plain",
    "retry-after": "1",
  });
});

Deno.test("a status that is no error becomes 500: Envoy would make a 200 of it", () => {
  for (const status of [0, 100, 200, 204, 399, 600, 999, -1]) {
    assertEquals(immediate(denied(status)).status, 500);
  }
  assertEquals([400, 599].map((status) => immediate(denied(status)).status), [400, 599]);
});

Deno.test("every verdict carries its facts as dynamic metadata, park only when there was one", () => {
  const table: [Verdict, Record<string, string | number>][] = [
    [routed(), { outcome: "ok", parked_ms: 0, attempts: 1 }],
    [routed("10.0.0.1:80", { park: "served", parkedMs: 612, attempts: 5 }), {
      outcome: "ok",
      park: "served",
      parked_ms: 612,
      attempts: 5,
    }],
    [routed("10.0.0.1:80", { park: "served", parkedMs: 0, attempts: 2 }), {
      outcome: "ok",
      park: "served",
      parked_ms: 0,
      attempts: 2,
    }],
    [denied(503, { outcome: "shed", attempts: 1 }), { outcome: "shed", parked_ms: 0, attempts: 1 }],
    [
      denied(503, {
        outcome: "no_capacity",
        park: "budget_exhausted",
        parkedMs: 5001,
        attempts: 9,
      }),
      { outcome: "no_capacity", park: "budget_exhausted", parked_ms: 5001, attempts: 9 },
    ],
    [denied(404, { attempts: 0 }), { outcome: "unavailable", parked_ms: 0, attempts: 0 }],
  ];
  for (const [verdict, atenet] of table) {
    assertEquals(decode(verdict).dynamicMetadata, { atenet });
  }
});

Deno.test("original-dst: the worker goes into the metadata, the host is left alone", () => {
  const original = new Replies("original-dst");
  const { response, dynamicMetadata } = decode(routed("10.0.0.1:80"), original);
  assertEquals(response.case, "requestHeaders");
  assertEquals(response.case === "requestHeaders" && response.value.response, undefined);
  const worker = "10.0.0.1:80";
  assertEquals(dynamicMetadata, { atenet: { outcome: "ok", parked_ms: 0, attempts: 1, worker } });
  const refused = decode(denied(503), original);
  assertEquals(refused.response.case, "immediateResponse");
  assertEquals(Object.keys(refused.dynamicMetadata?.atenet ?? {}).includes("worker"), false);
});

Deno.test("the answer of the fast path is written once per target", () => {
  const some = new Replies("authority");
  const first = some.of(routed());
  assert(some.of(routed()) === first);
  assert(some.of(routed()) !== some.of(routed("10.0.0.2:80")));
  assertEquals(some.kept, 2);
});

Deno.test("what differs in anything but the target is never taken from the kept answers", () => {
  const some = new Replies("authority");
  const plain = hex(some.of(routed()));
  const others = [
    routed("10.0.0.1:80", { attempts: 2 }),
    routed("10.0.0.1:80", { attempts: 0 }),
    routed("10.0.0.1:80", { park: "served" }),
    routed("10.0.0.1:80", { park: "served", parkedMs: 7 }),
    routed("10.0.0.1:80", { parkedMs: 7 }),
  ];
  for (const verdict of others) assert(hex(some.of(verdict)) !== plain, JSON.stringify(verdict));
  assertEquals(some.kept, 1);
  assertEquals(hex(some.of(routed())), plain);
});

Deno.test("the kept answers are bounded", () => {
  const some = new Replies("authority");
  for (let i = 0; i < 2 * REPLIES_KEPT_MAX + 10; i++) {
    some.of(routed(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}:80`));
    assert(some.kept <= REPLIES_KEPT_MAX);
  }
  assertEquals(some.kept, 10);
});
