// What the pure rooms must not touch: time, chance and the world come in through ports.
import { assertEquals } from "@std/assert";
import { type Node, visit } from "./ast.ts";
import { files, lineAt, text } from "./tree.ts";

/** Rooms that must not reach the world by themselves. */
const PURE = ["src/engine/", "src/wire/"];

const FORBIDDEN = new Set([
  "Deno",
  "Date",
  "performance",
  "Temporal",
  "setTimeout",
  "clearTimeout",
  "setInterval",
  "clearInterval",
  "setImmediate",
  "crypto",
  "console",
  "fetch",
  "process",
  "globalThis",
  "self",
  "window",
  "eval",
]);

/** Is this identifier the name of a field rather than a variable? */
function isField(node: Node): boolean {
  const up = node.parent;
  if (!up) return false;
  if (up.type === "MemberExpression") return up.property === node && !up.computed;
  if (up.type === "TSQualifiedName") return up.right === node;
  return up.key === node && !up.computed && !up.shorthand;
}

function uses(path: string, source: string = text(path)): string[] {
  const found: string[] = [];
  const note = (what: string, node: Node) => {
    found.push(`${path}:${lineAt(source, node.range[0])} ${what}`);
  };
  visit(path, {
    Identifier(node) {
      if (FORBIDDEN.has(node.name) && !isField(node)) note(node.name, node);
    },
    MemberExpression(node) {
      const name = node.computed ? node.property.value : node.property.name;
      if (node.object.name === "Math" && name === "random") note("Math.random", node);
    },
  }, source);
  return found;
}

Deno.test("engine and wire use no clock, no chance and no runtime", () => {
  assertEquals(files(PURE, ".ts").flatMap((path) => uses(path)), []);
});

Deno.test("the purity rule sees through member names and types", () => {
  const source = [
    "const a = clock.performance; const o = { Date: 1 }; o.Date;",
    "const b = Date.now();",
    'const c = Math["random"]() + Math.random();',
    "type T = Deno.Conn; interface I { process: number }",
    "setTimeout(() => {}, 1);",
    "class C { crypto = 1; fetch() {} }",
  ].join("\n");
  assertEquals(uses("x.ts", source), [
    "x.ts:2 Date",
    "x.ts:3 Math.random",
    "x.ts:3 Math.random",
    "x.ts:4 Deno",
    "x.ts:5 setTimeout",
  ]);
});
