// Texts kept in tests/golden: what people see, compared letter by letter.
// `UPDATE_GOLDEN=1 deno task test` writes them again; look at the diff before you commit it.
import { assertEquals } from "@std/assert";

const FOLDER = new URL("./", import.meta.url);

/** `text` is what tests/golden/<name> holds. */
export async function assertGolden(name: string, text: string): Promise<void> {
  await assertFile(new URL(name, FOLDER), text);
}

/** `text` is what the file holds; for generated files outside of this folder too. */
export async function assertFile(url: URL, text: string): Promise<void> {
  if (Deno.env.get("UPDATE_GOLDEN") === "1") {
    await Deno.writeTextFile(url, text);
    return;
  }
  const kept = await Deno.readTextFile(url).catch(() => undefined);
  const name = url.pathname.split("/").at(-1);
  assertEquals(text, kept, `${name} is not current: UPDATE_GOLDEN=1 writes it again`);
}
