// Every case has a test, and the tests of tests/cases say which case they are.
import { assertEquals } from "@std/assert";
import { beginning, type Node, visit } from "./ast.ts";
import { CASES, REQUIRED } from "./case_list.ts";
import { files, text } from "./tree.ts";

/** A name that begins with the ids of one or more cases. */
const NAME = /^(B\d\d(?: B\d\d)*): /;

function idsIn(name: string): string[] {
  return NAME.exec(name)?.[1]?.split(" ") ?? [];
}

/** Names given to Deno.test (and to its `only` and `ignore`) as far as they are written out. */
function namesOfTests(path: string, source: string = text(path)): string[] {
  const names: string[] = [];
  visit(path, {
    CallExpression(node) {
      const callee: Node = node.callee;
      const head = callee.type === "MemberExpression" && callee.object.object
        ? callee.object
        : callee;
      if (head.object?.name !== "Deno" || head.property?.name !== "test") return;
      const first: Node | undefined = node.arguments[0];
      const options = first?.type === "ObjectExpression"
        ? first.properties.find((one: Node) => one.key?.name === "name")?.value
        : first;
      names.push(beginning(options) ?? "(computed)");
    },
  }, source);
  return names;
}

/** Cases named by strings that begin like the name of a test, wherever a test file has them. */
function casesIn(path: string, source: string = text(path)): string[] {
  const found: string[] = [];
  const note = (node: Node) => {
    found.push(...idsIn(beginning(node) ?? ""));
  };
  visit(path, { Literal: note, TemplateLiteral: note }, source);
  return found;
}

function testFiles(): string[] {
  return files(["tests/"], "_test.ts").filter((path) => !path.startsWith("tests/rules/"));
}

Deno.test("tests in tests/cases are named after a case", () => {
  const odd = testFiles().filter((path) => path.startsWith("tests/cases/")).flatMap((path) =>
    namesOfTests(path).filter((name) => name !== "(computed)" && !NAME.test(name))
      .map((name) => `${path}: ${name}`)
  );
  assertEquals(odd, []);
});

Deno.test("a name that begins with the id of a case names a case there is", () => {
  const known = new Set(Object.values(CASES).flat());
  const odd = testFiles().flatMap((path) =>
    namesOfTests(path).filter((name) => /^B\d/.test(name)).filter((name) =>
      !NAME.test(name) || idsIn(name).some((id) => !known.has(id))
    ).map((name) => `${path}: ${name}`)
  );
  assertEquals(odd, []);
});

Deno.test("every case has a test", () => {
  const tested = new Set(testFiles().flatMap((path) => casesIn(path)));
  assertEquals(REQUIRED.filter((id) => !tested.has(id)), []);
});

Deno.test("no case is listed twice", () => {
  const ids = Object.values(CASES).flat();
  assertEquals(ids.length, new Set(ids).size);
  assertEquals(ids.filter((id) => !/^B\d\d$/.test(id)), []);
});

Deno.test("the search for names finds them", () => {
  const source = [
    'Deno.test("B01: a", () => {});',
    "Deno.test(`B02: on ${x}`, () => {});",
    'Deno.test({ name: "B03: c", fn() {} });',
    'Deno.test.ignore("d", () => {});',
    "Deno.test(name, () => {});",
    'onBoth("B05 B06: e");',
    'assert(x, "B07 in a message");',
  ].join("\n");
  assertEquals(namesOfTests("x.ts", source), ["B01: a", "B02: on ", "B03: c", "d", "(computed)"]);
  assertEquals(casesIn("x.ts", source), ["B01", "B02", "B03", "B05", "B06"]);
});
