// The printed text: exact for a few option sets (golden), and read back as what was meant.
// UPDATE_GOLDEN=1 writes the golden files anew.
import { assertEquals, assertMatch } from "@std/assert";
import { parse } from "yaml";
import { envoyBootstrap } from "../../src/envoy/bootstrap.ts";
import { ENVOY_DEFAULTS, type EnvoyOptions } from "../../src/envoy/options.ts";
import { printBootstrap, type PrintFormat } from "../../src/envoy/print.ts";

const GOLDEN: readonly [file: string, over: Partial<EnvoyOptions>][] = [
  ["default.yaml", {}],
  ["default.json", {}],
  [
    "ads.yaml",
    { ads: true, envoyCertPath: "/run/certs/bundle.pem", otlpCollectorAddress: "otel.svc:4317" },
  ],
  [
    "original_dst.yaml",
    { routeMode: "original-dst", resetCure: "cap", envoyCertPath: "/run/certs/" },
  ],
];

for (const [file, over] of GOLDEN) {
  Deno.test(`the printed configuration is the one of ${file}`, async () => {
    const path = new URL(`./golden/${file}`, import.meta.url);
    const format: PrintFormat = file.endsWith(".json") ? "json" : "yaml";
    const text = printBootstrap(envoyBootstrap({ ...ENVOY_DEFAULTS, ...over }), format);
    if (Deno.env.get("UPDATE_GOLDEN")) await Deno.writeTextFile(path, text);
    assertEquals(text, await Deno.readTextFile(path));
  });
}

Deno.test("YAML and JSON say the same", () => {
  const bootstrap = envoyBootstrap({ ...ENVOY_DEFAULTS, ads: true });
  const plain = JSON.parse(JSON.stringify(bootstrap));
  assertEquals(parse(printBootstrap(bootstrap, "yaml")), plain);
  assertEquals(JSON.parse(printBootstrap(bootstrap, "json")), plain);
});

Deno.test("words that YAML takes for something else stay strings", () => {
  for (const nodeId of ["y", "on", "no", "~", "null", "1e3", "0x10", "1:20", "- a", "#", "a: b"]) {
    const text = printBootstrap(envoyBootstrap({ ...ENVOY_DEFAULTS, nodeId }), "yaml");
    assertMatch(text, /^ {2}id: ".+"$/m);
    assertEquals(parse(text, { version: "1.1" }).node.id, nodeId);
    assertEquals(parse(text).node.id, nodeId);
  }
});

Deno.test("the text ends with one line end and has no anchors", () => {
  for (const format of ["yaml", "json"] as const) {
    const text = printBootstrap(envoyBootstrap(ENVOY_DEFAULTS), format);
    assertMatch(text, /[^\n]\n$/);
    if (format === "yaml") assertMatch(text, /^(?!.*[&*]a\d)/s);
  }
});
