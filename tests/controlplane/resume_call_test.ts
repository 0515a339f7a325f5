// What of a call's metadata goes to a peer that takes little.
import { assertEquals } from "@std/assert";
import { fitting, traceMetadata } from "../../src/controlplane/resume_call.ts";
import type { MetadataEntry } from "../../src/h2/grpc/types.ts";

const TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const AUTHORIZATION = ["authorization", `Bearer ${"t".repeat(1000)}`] as const;

function metadata(stateChars: number, baggageChars: number): MetadataEntry[] {
  const tracestate = "s".repeat(stateChars);
  const baggage = "b".repeat(baggageChars);
  return [AUTHORIZATION, ...traceMetadata({ traceparent: TRACEPARENT, tracestate, baggage })];
}

const ALL = ["authorization", "traceparent", "tracestate", "baggage"];
/** Without state and baggage: each name, value and 32, and what a transport adds. */
const BASE = 13 + 1007 + 32 + 11 + 55 + 32 + 1024;

Deno.test("baggage, then trace state, are left out where the peer would refuse the call", () => {
  const table: [listBytes: number, state: number, baggage: number, sent: string[]][] = [
    [Infinity, 2048, 8192, ALL],
    [8192, 100, 100, ALL],
    [8192, 100, 8192, ALL.slice(0, 3)],
    [8192, 2048, 8192, ALL.slice(0, 3)],
    [4096, 2048, 8192, ALL.slice(0, 2)],
    [0, 1, 1, ALL.slice(0, 2)],
    // To the byte.
    [BASE + 10 + 32 + 300 + 7 + 32 + 500, 300, 500, ALL],
    [BASE + 10 + 32 + 300 + 7 + 32 + 499, 300, 500, ALL.slice(0, 3)],
    [BASE + 10 + 32 + 300, 300, 500, ALL.slice(0, 3)],
    [BASE + 10 + 32 + 299, 300, 500, ALL.slice(0, 2)],
  ];
  for (const [listBytes, state, baggage, sent] of table) {
    const names = fitting(metadata(state, baggage), listBytes).map(([name]) => name);
    assertEquals(names, sent, `${listBytes} bytes, ${state} and ${baggage} characters`);
  }
});

Deno.test("metadata without a trace goes as it is", () => {
  assertEquals(fitting([AUTHORIZATION], 10), [AUTHORIZATION]);
  assertEquals(fitting([], 0), []);
});
