import { assert, assertEquals } from "@std/assert";
import { type Node, parseYaml } from "../../src/check/yaml.ts";

/** A tree in one line: `{a@1:x@1, b@2:[1@2]}`. */
function drawn(node: Node | undefined): string {
  if (node === undefined) return "";
  switch (node.kind) {
    case "scalar":
      return `${node.value === null ? "null" : node.text}@${node.line}`;
    case "list":
      return `[${node.items.map(drawn).join(", ")}]@${node.line}`;
    case "map": {
      const entries = [...node.entries]
        .map(([key, { line, value }]) => `${key}@${line}:${drawn(value)}`);
      return `{${entries.join(", ")}}`;
    }
  }
}

function first(text: string): string {
  const { documents, faults } = parseYaml(text);
  assertEquals(faults, []);
  return drawn(documents[0]);
}

Deno.test("parseYaml() keeps the line of every key and value", () => {
  const text = "a: x\nb:\n  - 1\n  - c: true\nd:\n  e:\n    5s\n";
  assertEquals(
    first(text),
    "{a@1:x@1, b@2:[1@3, {c@4:true@4}]@3, d@5:{e@6:5s@7}}",
  );
});

Deno.test("parseYaml() keeps numbers as they were written", () => {
  assertEquals(
    first("a: 1.10\nb: 0x10\nc: 1e3\nd: 007\ne: '5'\n"),
    [
      "{a@1:1.10@1, b@2:0x10@2, c@3:1e3@3, d@4:007@4, e@5:5@5}",
    ].join(""),
  );
});

Deno.test("parseYaml() reads JSON, with tabs too", () => {
  assertEquals(
    first('{\n\t"a": 1,\n\t"b": [true, null],\n\t"c": {"d": "x\\ny"}\n}\n'),
    "{a@2:1@2, b@3:[true@3, null@3]@3, c@4:{d@4:x\ny@4}}",
  );
});

Deno.test("parseYaml() gives every document and leaves empty ones out", () => {
  const { documents } = parseYaml("---\na: 1\n---\n# nothing\n---\nb: 2\n");
  assertEquals(documents.map(drawn), ["{a@2:1@2}", "{b@6:2@6}"]);
  for (const text of ["", "\n", "# only a comment\n", "---\n", "null\n"]) {
    assertEquals(parseYaml(text), { documents: [], faults: [] }, JSON.stringify(text));
  }
});

Deno.test("parseYaml() resolves aliases and merge keys", () => {
  assertEquals(
    first("x: &base {a: 1, b: 2}\ny:\n  <<: *base\n  b: 3\nz: *base\n"),
    "{x@1:{a@1:1@1, b@1:2@1}, y@2:{a@1:1@1, b@4:3@4}, z@5:{a@1:1@1, b@1:2@1}}",
  );
});

Deno.test("parseYaml() gives a missing value the line of its key", () => {
  assertEquals(first("a: 1\nb:\nc: ~\n"), "{a@1:1@1, b@2:null@2, c@3:null@3}");
});

Deno.test("parseYaml() takes keys that objects have by themselves", () => {
  assertEquals(
    first("__proto__: 1\nconstructor: 2\n"),
    "{__proto__@1:1@1, constructor@2:2@2}",
  );
});

Deno.test("parseYaml() reports faults with their line", () => {
  const rows: readonly [text: string, line: number][] = [
    ["a: 1\nb: [1\n", 3],
    ["a: 1\na: 2\n", 2],
    ["a: 'x\n", 2],
    ["a: 1\n b: 2\n", 1],
    ["{", 1],
  ];
  for (const [text, line] of rows) {
    const { documents, faults } = parseYaml(text);
    assertEquals(documents, [], text);
    assertEquals(faults[0]?.line, line, `${JSON.stringify(text)} ${faults[0]?.message}`);
  }
});

Deno.test("parseYaml() refuses a tree that aliases make too large", () => {
  const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
  for (let i = 1; i < 9; i++) {
    const items = Array.from({ length: 10 }, () => `*a${i - 1}`).join(", ");
    lines.push(`a${i}: &a${i} [${items}]`);
  }
  const { documents, faults } = parseYaml(lines.join("\n"));
  assertEquals(documents, []);
  assertEquals(faults.map(({ message }) => message), [
    "Cannot read YAML: too many or too deep values",
  ]);
});

Deno.test("parseYaml() refuses a tree that is too deep", () => {
  assertEquals(parseYaml("[".repeat(500) + "]".repeat(500)).documents, []);
});

Deno.test("parseYaml() follows aliases to the last anchor of the name, also through other aliases", () => {
  const rows: readonly [text: string, tree: string][] = [
    ["- &a 1\n- *a\n- &a 2\n- *a\n", "[1@1, 1@1, 2@3, 2@3]@1"],
    ["x: &o [&i 1]\ny: &i 2\nz: *o\nw: *i\n", "{x@1:[1@1]@1, y@2:2@2, z@3:[1@1]@1, w@4:2@2}"],
    ["&k key: 1\nother: *k\n", "{key@1:1@1, other@2:key@1}"],
  ];
  for (const [text, tree] of rows) assertEquals(first(text), tree, text);
  for (const text of ["a: &a [*a]\n", "a: &a\n  <<: *a\n", "a: *b\n", "a: *b\nb: &b 1\n"]) {
    const { documents, faults } = parseYaml(text);
    assertEquals([documents, faults.length > 0], [[], true], text);
  }
});

Deno.test("parseYaml() takes a time that grows with the text, not with its square", () => {
  const count = 20_000;
  const lines = (line: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => line(i)).join("\n");
  // Squares of these took half a minute each.
  const rows: readonly [what: string, text: string, keys: number][] = [
    ["keys", lines((i) => `k${i}: 1`), count],
    ["aliases", `a: &a 1\n${lines((i) => `k${i}: *a`)}`, count + 1],
    ["anchors", lines((i) => i % 2 ? `k${i}: *a${i - 1}` : `k${i}: &a${i} x`), count],
  ];
  for (const [what, text, keys] of rows) {
    const startMs = performance.now();
    const { documents: [root], faults } = parseYaml(text);
    const tookMs = performance.now() - startMs;
    assertEquals([faults, root?.kind === "map" && root.entries.size], [[], keys], what);
    assert(tookMs < 15_000, `${what}: ${tookMs} ms`);
  }
});

Deno.test("parseYaml() says a mistake that makes many faults a few times only", () => {
  for (const text of ["a: b: c\n".repeat(500), "[".repeat(8_000), "a: 1\n".repeat(500)]) {
    const { documents, faults } = parseYaml(text);
    assertEquals([documents, faults.length > 0 && faults.length <= 5], [[], true]);
  }
});
