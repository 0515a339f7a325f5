// Durations, typed messages and extensions in proto3 JSON.
import { assertEquals, assertThrows } from "@std/assert";
import { any, duration, extension, httpProtocolOptions } from "../../src/envoy/proto_json.ts";

const DURATIONS: readonly [ms: number, text: string][] = [
  [0, "0s"],
  [1, "0.001s"],
  [200, "0.2s"],
  [1_000, "1s"],
  [10_000, "10s"],
  [10_500, "10.5s"],
  [86_405_000, "86405s"],
  [0.2, "0.001s"],
  [1500.4, "1.501s"],
];

for (const [ms, text] of DURATIONS) {
  Deno.test(`duration() of ${ms} ms is ${text}`, () => assertEquals(duration(ms), text));
}

for (const ms of [-1, NaN, Infinity, 2 ** 60]) {
  Deno.test(`duration() refuses ${ms} and names it`, () => {
    const error = assertThrows(() => duration(ms), RangeError);
    assertEquals(error.message, `Cannot write duration as milliseconds: ${ms}`);
  });
}

Deno.test("any() puts the type beside the fields", () => {
  assertEquals(any("a.B", { x: 1 }), { "@type": "type.googleapis.com/a.B", x: 1 });
  assertEquals(any("a.B"), { "@type": "type.googleapis.com/a.B" });
});

Deno.test("extension() is a name and a typed configuration", () => {
  assertEquals(extension("n", "a.B", { x: 1 }), {
    name: "n",
    typed_config: { "@type": "type.googleapis.com/a.B", x: 1 },
  });
});

Deno.test("httpProtocolOptions() is keyed by the exact type: Envoy ignores any other key", () => {
  const type = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions";
  assertEquals(httpProtocolOptions({ x: 1 }), {
    [type]: { "@type": `type.googleapis.com/${type}`, x: 1 },
  });
});
