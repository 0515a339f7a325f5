import { assert, assertEquals } from "@std/assert";
import { RULES } from "../../src/check/rules.ts";
import { COMMANDS } from "../../src/cli/commands.ts";
import { configurationDoc } from "../../src/cli/docs.ts";
import { environmentName } from "../../src/cli/flags/spec.ts";
import { SETTING_FLAGS } from "../../src/cli/flags/table.ts";
import { assertFile } from "../golden/golden.ts";

Deno.test("docs/configuration.md is what the tables say", async () => {
  await assertFile(new URL("../../docs/configuration.md", import.meta.url), configurationDoc());
});

Deno.test("the document names every flag, variable, command and rule", () => {
  const doc = configurationDoc();
  for (const flag of SETTING_FLAGS) {
    assert(doc.includes(`| \`--${flag.name}\` | \`${environmentName(flag)}\` |`), flag.name);
  }
  for (const { name, own } of COMMANDS) {
    assert(doc.includes(`\`${name}\`: `), name);
    for (const flag of own) assert(doc.includes(`\`--${flag.name}`), flag.name);
  }
  for (const id of Object.keys(RULES)) assert(doc.includes(`| \`${id}\` |`), id);
});

Deno.test("every row of a table has as many cells as its head", () => {
  const cells = (line: string) => line.replaceAll("\\|", "").split("|").length;
  let head = 0;
  for (const line of configurationDoc().split("\n")) {
    if (!line.startsWith("|")) head = 0;
    else if (head === 0) head = cells(line);
    else assertEquals(cells(line), head, line);
  }
});

/** Rows of the table below the heading `Exit codes`, the head first, without the line under it. */
function exitTable(document: string): string[][] {
  const lines = document.slice(document.indexOf("## Exit codes")).split("\n");
  const rows = lines.filter((line) => line.startsWith("|") && !/^\| -/.test(line));
  return rows.map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()));
}

Deno.test("the exit codes of every command are told as its help tells them", () => {
  const [head, ...rows] = exitTable(configurationDoc());
  assertEquals(head, ["command", "0", "1", "2", "3"]);
  assertEquals(
    rows.map(([name, ...exits]) => [name, exits.filter((exit) => exit !== "").join(" · ")]),
    COMMANDS.map(({ name, exits }) => {
      return [`\`${name}\``, exits.filter((exit) => exit !== "").join(" · ")];
    }),
  );
});

Deno.test("the exit codes of docs/operations.md are those that the commands use", async () => {
  const text = await Deno.readTextFile(new URL("../../docs/operations.md", import.meta.url));
  const [head = [], ...rows] = exitTable(text);
  assertEquals(head.slice(1).sort(), COMMANDS.map(({ name }) => `\`${name}\``).sort());
  for (const { name, exits } of COMMANDS) {
    const column = head.indexOf(`\`${name}\``);
    const told = rows.map((row) => row[column] !== "");
    assertEquals(told, rows.map((_, exit) => (exits[exit] ?? "") !== ""), name);
    const broken = rows.map((row) => row[column]?.includes("rule broken") ?? false);
    assertEquals(
      broken,
      rows.map((_, exit) => exits[exit]?.includes("rule broken") ?? false),
      name,
    );
  }
});
