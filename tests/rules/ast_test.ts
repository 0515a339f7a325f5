// The scanner itself: a rule that reads nothing would never fail.
import { assertEquals, assertThrows } from "@std/assert";
import { beginning, type Node, visit } from "./ast.ts";

Deno.test("the scanner sees every node of a kind", () => {
  const seen: string[] = [];
  const source = "const a = 1;\nfunction f() { return () => a; }\nclass C { #m(): void {} }\n";
  const note = (node: Node) => {
    seen.push(`${node.type}@${node.range[0]}`);
  };
  visit("x.ts", { FunctionDeclaration: note, ArrowFunctionExpression: note }, source);
  assertEquals(seen, ["FunctionDeclaration@13", "ArrowFunctionExpression@35"]);
});

Deno.test("the scanner gives the beginning of names", () => {
  const names: (string | undefined)[] = [];
  const source = 'f("B01: plain"); f(`B02: on ${x}`); f(x);';
  visit("x.ts", {
    CallExpression(node) {
      names.push(beginning(node.arguments[0]));
    },
  }, source);
  assertEquals(names, ["B01: plain", "B02: on ", undefined]);
});

Deno.test("the scanner does not take a broken file for an empty one", () => {
  assertThrows(() => visit("x.ts", {}, "const = ;"));
});
