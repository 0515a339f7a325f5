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
