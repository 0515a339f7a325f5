import { assertEquals } from "@std/assert";
import {
  at,
  child,
  configOf,
  durationMsOf,
  findAll,
  isExtension,
  isTrue,
  items,
  numberOf,
  textOf,
  typeOf,
} from "../../src/check/tree.ts";
import { type Node, parseYaml, treeOf } from "../../src/check/yaml.ts";

function tree(text: string): Node | undefined {
  return parseYaml(text).documents[0];
}

Deno.test("child() finds snake_case and camelCase names", () => {
  const rows: readonly [text: string, name: string, value: string | undefined][] = [
    ["max_requests: 5", "max_requests", "5"],
    ["maxRequests: 5", "max_requests", "5"],
    ["http2ProtocolOptions: 5", "http2_protocol_options", "5"],
    ["max_requests: 5\nmaxRequests: 6", "max_requests", "5"],
    ["max-requests: 5", "max_requests", undefined],
    ["[max_requests]", "max_requests", undefined],
    ["max_requests", "max_requests", undefined],
    ["other: 5", "toString", undefined],
    ["other: 5", "__proto__", undefined],
  ];
  for (const [text, name, value] of rows) {
    assertEquals(textOf(child(tree(text), name)), value, text);
  }
});

Deno.test("at() follows a path and comes back empty from any wrong turn", () => {
  const root = tree("a:\n  b:\n    - c: 1\n  d: 2");
  assertEquals(textOf(at(root, "a", "d")), "2");
  assertEquals(at(root, "a", "b", "c"), undefined);
  assertEquals(at(root, "x", "y", "z"), undefined);
  assertEquals(at(undefined, "a"), undefined);
  assertEquals(at(root), root);
});

Deno.test("scalars are read as text, number, boolean and duration", () => {
  const of = (text: string) => child(tree(`x: ${text}`), "x");
  const rows: readonly [
    text: string,
    read: { text?: string; number?: number; ms?: number; yes?: boolean },
  ][] = [
    ["5", { text: "5", number: 5 }],
    ['"5"', { text: "5", number: 5 }],
    ["1.5", { text: "1.5", number: 1.5 }],
    ["true", { text: "true", yes: true }],
    ['"true"', { text: "true", yes: true }],
    ["false", { text: "false" }],
    ["5s", { text: "5s", ms: 5_000 }],
    ["0.25s", { text: "0.25s", ms: 250 }],
    ["0.0000005s", { text: "0.0000005s", ms: 0.001 }],
    ["-1s", { text: "-1s", ms: -1_000 }],
    ["5ms", { text: "5ms" }],
    ["5 s", { text: "5 s" }],
    ['""', { text: "" }],
    ["~", {}],
    ["[]", {}],
    ["{}", {}],
  ];
  for (const [text, read] of rows) {
    const node = of(text);
    assertEquals(textOf(node), read.text, text);
    assertEquals(numberOf(node), read.number, text);
    assertEquals(durationMsOf(node), read.ms, text);
    assertEquals(isTrue(node), read.yes ?? false, text);
  }
});

Deno.test("items() of anything but a list is nothing", () => {
  for (const text of ["a: 1", "text", "5"]) assertEquals(items(tree(text)), []);
  assertEquals(items(tree("[1, 2]")).map(textOf), ["1", "2"]);
  assertEquals(items(undefined), []);
});

Deno.test("an extension is known by its type, by its name only without one", () => {
  const rows: readonly [text: string, known: boolean][] = [
    ['{name: a, typed_config: {"@type": type.googleapis.com/x.v3.Router}}', true],
    ['{name: envoy.router, typed_config: {"@type": type.googleapis.com/x.v3.Other}}', false],
    ["{name: envoy.router, typed_config: {}}", true],
    ["{name: envoy.router}", true],
    ["{name: a}", false],
    [
      '{name: a, typed_config: {"@type": type.googleapis.com/xds.type.v3.TypedStruct, ' +
      "type_url: type.googleapis.com/x.v3.Router, value: {b: 1}}}",
      true,
    ],
  ];
  for (const [text, known] of rows) {
    assertEquals(isExtension(tree(text)!, "Router", "envoy.router"), known, text);
  }
  const wrapped = tree(rows.at(-1)![0]);
  assertEquals(textOf(child(configOf(wrapped), "b")), "1");
  assertEquals(typeOf(child(tree(rows[0]![0]), "typed_config")), "Router");
  assertEquals(typeOf(undefined), "");
});

Deno.test("findAll() looks everywhere but into what it found", () => {
  const root = tree("a: {x: 1, b: {x: 2}}\nc: [{x: 3}, {d: {x: 4}}]");
  const found = findAll(root, (node) => child(node, "x") !== undefined);
  assertEquals(found.map((node) => textOf(child(node, "x"))), ["1", "3", "4"]);
  assertEquals(findAll(undefined, () => true), []);
});

Deno.test("treeOf() makes of values what parseYaml() makes of their text", () => {
  const value = { a: [1, "x", null, true], b: { c: "y" } };
  assertEquals(treeOf(value), tree(JSON.stringify(value)));
  assertEquals(textOf(treeOf(5)), "5");
});
