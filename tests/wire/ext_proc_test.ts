import { assertEquals, assertThrows } from "@std/assert";
import { WireError } from "../../src/wire/error.ts";
import { HEADERS_MAX, RequestKind, RequestScan } from "../../src/wire/ext_proc.ts";
import { concat, field, header, number, requestHeaders, tag } from "./support/bytes.ts";

/** What a scan found, without what is absent. */
function scanned(bytes: Uint8Array): Record<string, unknown> {
  const scan = new RequestScan();
  scan.scan(bytes);
  return found(scan);
}

function found(scan: RequestScan): Record<string, unknown> {
  const { kind, headers, authority, host, path, traceparent, tracestate, baggage } = scan;
  const all = { kind, headers, authority, host, path, traceparent, tracestate, baggage };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

const HEADERS = RequestKind.REQUEST_HEADERS;

Deno.test("each kind of message is told apart", () => {
  const map = field(1, header("a", { raw: "b" }));
  const table: [Uint8Array, number][] = [
    [field(2), RequestKind.REQUEST_HEADERS],
    [field(2, map), RequestKind.REQUEST_HEADERS],
    [field(3, concat(map, number(3, 1))), RequestKind.RESPONSE_HEADERS],
    [field(4, concat(field(1, "body"), number(2, 1))), RequestKind.REQUEST_BODY],
    [field(5), RequestKind.RESPONSE_BODY],
    [field(6, map), RequestKind.REQUEST_TRAILERS],
    [field(7, map), RequestKind.RESPONSE_TRAILERS],
    [new Uint8Array(0), RequestKind.UNKNOWN],
    [concat(field(8, "ctx"), field(9, "attributes"), number(10, 1)), RequestKind.UNKNOWN],
    [field(1, "reserved"), RequestKind.UNKNOWN],
  ];
  for (const [bytes, kind] of table) assertEquals(scanned(bytes).kind, kind);
});

Deno.test("the needed headers become text, from value or from raw_value, in any case", () => {
  const headers = concat(
    header(":authority", { raw: "a.s.d:81" }),
    header("HOST", { value: "h" }),
    header(":path", { raw: "/p?q=1" }),
    header("cookie", { raw: "secret" }),
    header("TraceParent", { value: "tp" }),
    header("tracestate", { raw: "ts" }),
    header("baggage", { raw: "b=1" }),
  );
  assertEquals(scanned(field(2, concat(field(1, headers), number(3, 1)))), {
    kind: HEADERS,
    headers: 7,
    authority: "a.s.d:81",
    host: "h",
    path: "/p?q=1",
    traceparent: "tp",
    tracestate: "ts",
    baggage: "b=1",
  });
});

Deno.test("raw_value wins over value unless it is empty; the last of each counts", () => {
  const table: [Uint8Array, string][] = [
    [header("host", { value: "v", raw: "r" }), "r"],
    [header("host", { value: "v", raw: "" }), "v"],
    [header("host", { value: "", raw: "" }), ""],
    [header("host", {}), ""],
    [field(1, concat(field(3, "1"), field(1, "x"), field(3, "2"), field(1, "host"))), "2"],
    [field(1, concat(field(1, "host"), field(3, "1"), field(3, ""), field(2, "v"))), "v"],
    [concat(header("host", { raw: "1" }), header("host", { raw: "2" })), "2"],
  ];
  for (const [headers, host] of table) {
    assertEquals(scanned(field(2, field(1, headers))).host, host);
  }
});

Deno.test("repeated trace headers are one list", () => {
  const scan = scanned(requestHeaders([
    ["tracestate", "a=1"],
    ["tracestate", "b=2"],
    ["baggage", "k=1"],
    ["baggage", "k=2"],
    ["traceparent", "one"],
    ["traceparent", "two"],
  ]));
  assertEquals([scan.tracestate, scan.baggage, scan.traceparent], [
    "a=1,b=2",
    "k=1,k=2",
    "one,two",
  ]);
});

Deno.test("bytes of a raw_value that are not UTF-8 show as U+FFFD", () => {
  const raw = Uint8Array.from([0x61, 0xff, 0x62]);
  assertEquals(scanned(field(2, field(1, header("host", { raw })))).host, "a\ufffdb");
});

Deno.test("the same kind again is merged, another kind starts anew", () => {
  const one = requestHeaders([["host", "h"]]);
  const two = requestHeaders([[":path", "/p"]]);
  assertEquals(scanned(concat(one, two)), { kind: HEADERS, headers: 2, host: "h", path: "/p" });
  assertEquals(scanned(concat(one, field(4), two)), { kind: HEADERS, headers: 1, path: "/p" });
  assertEquals(scanned(concat(one, field(3))), { kind: RequestKind.RESPONSE_HEADERS, headers: 0 });
  // HttpHeaders.headers in pieces is one map as well.
  const map = (name: string) => field(1, header(name, { raw: "v" }));
  const pieces = field(2, concat(map("host"), number(3, 1), map(":path")));
  assertEquals(scanned(pieces), { kind: HEADERS, headers: 2, host: "v", path: "v" });
});

Deno.test("unknown fields are skipped at every level", () => {
  const junk = concat(
    number(19, 5),
    field(20, "junk"),
    concat(tag(21, 1), new Uint8Array(8)),
    concat(tag(22, 5), new Uint8Array(4)),
    concat(tag(23, 3), number(1, 1), tag(23, 4)),
  );
  const value = concat(junk, field(1, "host"), junk, field(3, "h"), junk);
  const map = concat(junk, field(1, value), junk);
  const bytes = concat(junk, field(2, concat(junk, field(1, map), junk)), junk);
  assertEquals(scanned(bytes), { kind: HEADERS, headers: 1, host: "h" });
  assertEquals(scanned(concat(field(4, junk), junk)).kind, RequestKind.REQUEST_BODY);
  assertEquals(scanned(concat(junk, field(7, junk))).kind, RequestKind.RESPONSE_TRAILERS);
});

Deno.test("headers are counted, also empty ones, only those of the request", () => {
  const many = (count: number, kind: number) =>
    field(kind, field(1, concat(...Array.from({ length: count }, () => field(1)))));
  const scan = new RequestScan();
  scan.scan(many(HEADERS_MAX, 2));
  assertEquals([scan.headers, scan.tooLarge], [HEADERS_MAX, false]);
  scan.scan(many(HEADERS_MAX + 1, 2));
  assertEquals(scan.tooLarge, true);
  scan.scan(concat(many(HEADERS_MAX, 2), many(1, 2)));
  assertEquals(scan.tooLarge, true);
  scan.scan(many(HEADERS_MAX + 1, 3));
  assertEquals(scan.tooLarge, false);
});

Deno.test("one scan does not show in the next", () => {
  const scan = new RequestScan();
  scan.scan(requestHeaders([["host", "h"], [":path", "/p"], ["baggage", "b"]]));
  scan.scan(requestHeaders([["accept", "*/*"]]));
  assertEquals(found(scan), { kind: HEADERS, headers: 1 });
  assertThrows(() => scan.scan(Uint8Array.of(0xff)), WireError);
  assertEquals(found(scan), { kind: RequestKind.UNKNOWN, headers: 0 });
});

Deno.test("strings that are not UTF-8 are refused, in any header", () => {
  const bad = Uint8Array.of(0xc3, 0x28);
  for (const key of ["host", "cookie"]) {
    const value = concat(field(1, key), field(2, bad));
    assertThrows(() => scanned(field(2, field(1, field(1, value)))), WireError, "not UTF-8");
  }
  assertThrows(() => scanned(field(6, field(1, field(1, field(1, bad))))), WireError, "not UTF-8");
});

Deno.test("a message cut anywhere is refused or is a shorter message, never a crash", () => {
  const whole = concat(
    field(8, "context"),
    requestHeaders([[":authority", "a.s.d"], [":path", "/p"], ["traceparent", "00-x"]]),
    number(10, 1),
  );
  let refused = 0;
  for (let size = 0; size < whole.length; size++) {
    try {
      scanned(whole.subarray(0, size));
    } catch (error) {
      assertEquals(error instanceof WireError, true, String(error));
      refused++;
    }
  }
  // Whole only between two fields: nothing, the context, the headers.
  assertEquals(refused, whole.length - 3);
});

Deno.test("wrong wire types of declared fields are refused", () => {
  const map = (value: Uint8Array) => field(2, field(1, value));
  const bad = [
    number(2, 1),
    concat(tag(7, 5), new Uint8Array(4)),
    field(2, number(1, 1)),
    field(2, field(3, "x")),
    field(3, number(1, 1)),
    field(4, number(1, 1)),
    field(4, field(2, "x")),
    field(6, number(1, 1)),
    map(number(1, 1)),
    map(field(1, number(1, 1))),
    map(field(1, number(2, 1))),
    map(field(1, concat(tag(3, 5), new Uint8Array(4)))),
  ];
  for (const bytes of bad) assertThrows(() => scanned(bytes), WireError, "wire type");
});
