// Small files, small functions, no arrow functions at the top level of a module.
import { assert, assertEquals } from "@std/assert";
import { type Node, visit } from "./ast.ts";
import { EXCEPTIONS } from "./exceptions.ts";
import { lineAt, sources, text, written } from "./tree.ts";

const FILE_LINES_MAX = 300;
/** Lines that are neither blank nor comment. */
const CODE_LINES_MAX = 200;
const FUNCTION_LINES_MAX = 50;
/** Half of the files are at most this long. */
const MEDIAN_LINES_MAX = 120;

/** Source lines without the last, empty one. */
function lines(source: string): string[] {
  return source.replace(/\n$/, "").split("\n");
}

/** Lines of code: no blank lines, no comments. Comments inside a line count as code. */
function codeLines(source: string): number {
  let inComment = false;
  return lines(source).filter((line) => {
    const trimmed = line.trim();
    const wasIn = inComment;
    if (trimmed.startsWith("/*") || inComment) inComment = !trimmed.includes("*/");
    return !wasIn && trimmed !== "" && !trimmed.startsWith("//") && !trimmed.startsWith("/*");
  }).length;
}

/** A name for a function: its own, or that of what holds it. */
function nameOf(node: Node): string {
  const up = node.parent;
  const name = node.id ?? up?.key ?? (up?.type === "VariableDeclarator" ? up.id : undefined);
  return name?.name ?? name?.value ?? "(anonymous)";
}

interface Sized {
  readonly name: string;
  readonly lines: number;
  readonly at: number;
}

function functionsOf(path: string, source: string = text(path)): Sized[] {
  const found: Sized[] = [];
  const measure = (node: Node) => {
    const at = lineAt(source, node.range[0]);
    const end = lineAt(source, node.range[1]);
    found.push({ name: nameOf(node), lines: end - at + 1, at });
  };
  visit(path, {
    FunctionDeclaration: measure,
    FunctionExpression: measure,
    ArrowFunctionExpression: measure,
  }, source);
  return found;
}

function topLevelArrows(path: string, source: string = text(path)): string[] {
  const found: string[] = [];
  visit(path, {
    ArrowFunctionExpression(node) {
      const declaration = node.parent?.type === "VariableDeclarator" ? node.parent.parent : null;
      const holder = declaration?.parent ?? node.parent;
      const top = holder?.type === "Program" || holder?.type === "ExportNamedDeclaration" ||
        holder?.type === "ExportDefaultDeclaration";
      if (top) found.push(`${path}:${lineAt(source, node.range[0])}`);
    },
  }, source);
  return found;
}

/** Exceptions that were needed; the rest is stale. */
const needed = new Set<string>();

function excused(key: string): boolean {
  if (!(key in EXCEPTIONS)) return false;
  needed.add(key);
  return true;
}

/** Files whose functions must be small. Tests may be long lists of rows, and lists of tests too. */
function withSmallFunctions(): string[] {
  const listsTests = (path: string) =>
    path.startsWith("tests/") && /^\s+Deno\.test\(/m.test(text(path));
  return written().filter((path) => !path.endsWith("_test.ts") && !listsTests(path));
}

Deno.test("files and functions stay small", async (t) => {
  await t.step(`no file is longer than ${FILE_LINES_MAX} lines`, () => {
    const long = written().map((path) => ({ path, count: lines(text(path)).length }))
      .filter(({ path, count }) => count > FILE_LINES_MAX && !excused(path));
    assertEquals(long, []);
  });
  await t.step(`no file of src has more than ${CODE_LINES_MAX} lines of code`, () => {
    const long = sources().map((path) => ({ path, count: codeLines(text(path)) }))
      .filter(({ path, count }) => count > CODE_LINES_MAX && !excused(path));
    assertEquals(long, []);
  });
  await t.step(`no function is longer than ${FUNCTION_LINES_MAX} lines`, () => {
    const long = withSmallFunctions().flatMap((path) =>
      functionsOf(path)
        .filter((one) => one.lines > FUNCTION_LINES_MAX && !excused(`${path} ${one.name}`))
        .map((one) => `${path}:${one.at} ${one.name}: ${one.lines} lines`)
    );
    assertEquals(long, []);
  });
  await t.step("every exception is needed and says why", () => {
    assertEquals(Object.keys(EXCEPTIONS).filter((key) => !needed.has(key)), []);
    assertEquals(Object.values(EXCEPTIONS).filter((why) => why.length < 20), []);
  });
});

Deno.test("half of the files of src are short", () => {
  const counts = sources().map((path) => lines(text(path)).length).sort((a, b) => a - b);
  const median = counts[Math.floor(counts.length / 2)] ?? 0;
  assert(counts.length > 10, `only ${counts.length} files were found`);
  assert(median <= MEDIAN_LINES_MAX, `the median is ${median} lines`);
});

Deno.test("no arrow function stands at the top level of a module", () => {
  assertEquals(written().flatMap((path) => topLevelArrows(path)), []);
});

Deno.test("the size rules measure what they say", () => {
  const source = [
    "// head",
    "export const a = () => 1;",
    "const b = [(x: number) => x];",
    "/* a",
    "   b */",
    "",
    "function f() {",
    "  return () => {",
    "  };",
    "}",
    "class C { m() {",
    "} }",
    "export default () => 2;",
    "",
  ].join("\n");
  assertEquals(codeLines(source), 9);
  assertEquals(topLevelArrows("x.ts", source), ["x.ts:2", "x.ts:13"]);
  const sized = functionsOf("x.ts", source).map((one) => `${one.at} ${one.name} ${one.lines}`);
  assertEquals(sized.sort(), [
    "11 m 2",
    "13 (anonymous) 1",
    "2 a 1",
    "3 (anonymous) 1",
    "7 f 4",
    "8 (anonymous) 2",
  ]);
});
