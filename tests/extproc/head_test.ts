import { assertEquals } from "@std/assert";
import { readHead } from "../../src/extproc/head.ts";
import { RequestScan } from "../../src/wire/ext_proc.ts";
import { requestHeaders } from "../wire/support/bytes.ts";
import { FakeStream } from "./support/fake_stream.ts";

const OURS = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const CLIENTS = "00-11111111111111111111111111111111-2222222222222222-00";

type Pairs = readonly (readonly [string, string])[];

function head(headers: Pairs, metadata: Readonly<Record<string, string>> = {}) {
  const scan = new RequestScan();
  scan.scan(requestHeaders(headers));
  return readHead(scan, new FakeStream({ metadata }));
}

Deno.test("the host is :authority, else host", () => {
  const table: [Pairs, string][] = [
    [[[":authority", "a"], ["host", "b"]], "a"],
    [[["host", "b"], [":authority", "a"]], "a"],
    [[["host", "b"]], "b"],
    [[["HOST", "b"]], "b"],
    [[[":authority", ""], ["host", "b"]], "b"],
    [[], ""],
  ];
  for (const [headers, host] of table) assertEquals(head(headers).host, host);
});

Deno.test("B54: the path is ready to be shown", () => {
  assertEquals(head([[":path", "/p?token=S1"]]).shownPath, "/p");
  assertEquals(head([]).shownPath, "");
});

Deno.test("B72: the stream's own span wins over the client's, the client's baggage goes on", () => {
  const client: Pairs = [
    ["traceparent", CLIENTS],
    ["tracestate", "client=1"],
    ["baggage", "user=1"],
  ];
  const fromClient = { traceparent: CLIENTS, tracestate: "client=1", baggage: "user=1" };
  const table: [Pairs, Record<string, string>, unknown][] = [
    [client, {}, fromClient],
    [client, { traceparent: OURS }, { traceparent: OURS, baggage: "user=1" }],
    [client, { traceparent: OURS, tracestate: "envoy=1", baggage: "e=1" }, {
      traceparent: OURS,
      tracestate: "envoy=1",
      baggage: "e=1",
    }],
    [[], { traceparent: OURS }, { traceparent: OURS }],
    [client, { traceparent: "broken", tracestate: "envoy=1" }, fromClient],
    [[["traceparent", "broken"], ["baggage", "b=1"]], {}, undefined],
    [[["traceparent", "broken"]], { traceparent: "broken" }, undefined],
    [[["traceparent", CLIENTS], ["traceparent", CLIENTS]], {}, undefined],
    [[["tracestate", "a=1"]], { tracestate: "b=2" }, undefined],
    [[], {}, undefined],
  ];
  for (const [headers, metadata, trace] of table) {
    assertEquals(head(headers, metadata).trace, trace as never);
  }
});
