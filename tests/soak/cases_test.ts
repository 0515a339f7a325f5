// The long forms: what is in the table is there, and what has a long form is in the table.
import { assertEquals, assertThrows } from "@std/assert";
import { isLong, long } from "../support/long.ts";
import { chosen, LONG_CASES, wordsFor } from "./cases.ts";

const ROOT = new URL("../../", import.meta.url);
const IMPORT = '/support/long.ts"';

function source(path: string): string {
  return Deno.readTextFileSync(new URL(path, ROOT));
}

function testFiles(folder: string): string[] {
  return [...Deno.readDirSync(new URL(folder, ROOT))].flatMap(({ name, isDirectory }) => {
    if (isDirectory) return testFiles(`${folder}${name}/`);
    return name.endsWith("_test.ts") ? [`${folder}${name}`] : [];
  });
}

Deno.test("a case with a long form is in the table, and only such a case", () => {
  const readers = testFiles("tests/").filter((path) => source(path).includes(IMPORT));
  const own = "tests/soak/cases_test.ts";
  const listed = LONG_CASES.map(({ file }) => file);
  assertEquals(listed.toSorted(), readers.filter((path) => path !== own).toSorted());
});

Deno.test("the file of a long case has tests that begin with its id, and only they are run", () => {
  for (const one of LONG_CASES) {
    assertEquals(new RegExp(`["\`]${one.id}: `).test(source(one.file)), true, one.id);
    const words = wordsFor(one, 7);
    assertEquals(words.at(-1), one.file);
    assertEquals(words.filter((word) => word.startsWith("--filter=")), [
      `--filter=/^${one.id}\\b/`,
    ]);
  }
});

Deno.test("cases are chosen by their ids, in the order of the table", () => {
  assertEquals(chosen([]), LONG_CASES);
  assertEquals(chosen(["B26", "B01"]).map(({ id }) => id), ["B01", "B26"]);
  assertThrows(() => chosen(["B26", "B99", "b01"]), TypeError, "B99, b01");
});

Deno.test("LONG=1 is the long run, 0 and nothing are the short one, anything else is an error", () => {
  const rows = [["", false], ["0", false], ["1", true]] as const;
  for (const [text, isLongRun] of rows) {
    assertEquals(isLong(text), isLongRun);
    assertEquals(long("short", "long", isLongRun), isLongRun ? "long" : "short");
  }
  assertThrows(() => isLong("yes"), TypeError, "Cannot read LONG: yes");
});
