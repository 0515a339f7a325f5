import { assertEquals } from "@std/assert";
import { RULES } from "../../src/check/rules.ts";

const ROOMS = ["../../src/check/", "../../src/cli/", "../../src/cli/flags/"];

/** Text of every file of the rooms that report problems. */
async function sources(): Promise<string> {
  const texts: string[] = [];
  for (const room of ROOMS) {
    const folder = new URL(room, import.meta.url);
    for await (const { name } of Deno.readDir(folder)) {
      if (name.endsWith(".ts") && name !== "rules.ts") {
        texts.push(await Deno.readTextFile(new URL(name, folder)));
      }
    }
  }
  return texts.join("\n");
}

Deno.test("every rule of the table is reported by somebody", async () => {
  const source = await sources();
  assertEquals(Object.keys(RULES).filter((id) => !source.includes(`"${id}"`)), []);
});

Deno.test("rules are sentences without a full stop", () => {
  for (const [id, title] of Object.entries(RULES)) {
    assertEquals(/^[-A-Z].*[^.]$/.test(title), true, id);
  }
});
