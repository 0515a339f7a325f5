// Variables of the router's container that are said more than once, and which one counts.
import { assertEquals } from "@std/assert";
import { containerText } from "../../src/check/manifest_words.ts";
import type { Loose } from "./envoy_fixture.ts";
import { changed, read } from "./manifest_fixture.ts";

const MAP = "kind: ConfigMap\nmetadata: {name: s}\ndata: {ATENET_DRAIN_DELAY: 3s}\n";
const SECRET = { secretKeyRef: { name: "hidden", key: "x" } };

Deno.test("a variable covers what envFrom brings, and the last one of a name counts", () => {
  const name = "ATENET_DRAIN_DELAY";
  const rows: readonly [what: string, env: Loose[], value: string | undefined, open: number][] = [
    ["envFrom alone", [], "3s", 0],
    ["a value", [{ name, value: "1s" }], "1s", 0],
    ["a Secret", [{ name, valueFrom: SECRET }], undefined, 1],
    [
      "a ConfigMap that is not given",
      [
        { name, valueFrom: { configMapKeyRef: { name: "x", key: "y" } } },
      ],
      undefined,
      1,
    ],
    ["nothing at all", [{ name }], undefined, 0],
    ["another one", [{ name: "ATENET_LOG_LEVEL", valueFrom: SECRET }], "3s", 1],
    ["a Secret, then a value", [{ name, valueFrom: SECRET }, { name, value: "1s" }], "1s", 0],
    ["a value, then a Secret", [{ name, value: "1s" }, { name, valueFrom: SECRET }], undefined, 1],
    ["two Secrets", [{ name, valueFrom: SECRET }, { name, valueFrom: SECRET }], undefined, 1],
  ];
  for (const [what, env, value, open] of rows) {
    const pod = changed(({ router }) => {
      router.envFrom = [{ configMapRef: { name: "s" } }];
      router.env = env;
    });
    const { pods, configMaps } = read(pod, MAP);
    const { variables, unchecked } = containerText(pods[0]!, configMaps);
    assertEquals([variables.get(name)?.text, unchecked.length], [value, open], what);
  }
});
