// docs/binary.md tells what is: the permissions with their reasons, the targets, the libraries, the
// stub of the test binary.
import { assert, assertEquals } from "@std/assert";
import { grpcJsProblem } from "../../src/app/grpcjs_support.ts";
import { PERMISSIONS } from "../../build/permissions.ts";
import { TARGETS } from "../../build/targets.ts";
import { TEST_STUB } from "../../build/test_stub.ts";

const DOCUMENT = Deno.readTextFileSync(new URL("../../docs/binary.md", import.meta.url));

/** Cells of the table below a heading cell. */
function rowsBelow(heading: string): string[][] {
  const lines = DOCUMENT.split("\n");
  const at = lines.findIndex((line) => line.startsWith(`| ${heading}`));
  const end = lines.findIndex((line, i) => i > at && !line.startsWith("|"));
  return lines.slice(at + 2, end).map((line) =>
    line.split("|").slice(1, -1).map((one) => one.trim())
  );
}

Deno.test("the permissions of the document are those of the table, with their reasons", () => {
  const told = rowsBelow("flag of `deno compile`");
  assertEquals(told, PERMISSIONS.map(({ flag, why }) => [`\`${flag}\``, why]));
});

Deno.test("every target is named", () => {
  const [words = []] = rowsBelow("words").filter(([word]) => word?.includes("--target"));
  for (const { name } of TARGETS) assert(words.join(" ").includes(name), name);
});

Deno.test("the numbers of the test binary and of grpc-js are the real ones", () => {
  const all = rowsBelow("   ").flat().join(" ");
  for (const part of [TEST_STUB.compiler, TEST_STUB.runtime, TEST_STUB.target]) {
    assert(all.includes(part), part);
  }
  const [, first = "", last = ""] = /works on Deno ([\d.]+) to ([\d.]+\d)/.exec(DOCUMENT) ?? [];
  assertEquals([grpcJsProblem(first), grpcJsProblem(last)], [undefined, undefined]);
  assert(grpcJsProblem("2.0.0")?.includes(`${first} to ${last}`), `${first} to ${last}`);
});
