// The commit a binary says: that of the working copy, and honest about changes.
import { assertEquals, assertRejects } from "@std/assert";
import { commitOf, type Run, runIn } from "../../build/commit.ts";

function git(head: string | undefined, changes: string): Run {
  return (_program, [what = ""]) =>
    Promise.resolve(
      what === "rev-parse"
        ? { success: head !== undefined, output: head ?? "" }
        : { success: true, output: changes },
    );
}

Deno.test("the short commit, with a word when something that ships was changed", async () => {
  assertEquals(await commitOf(git("0123456789ab", "")), "0123456789ab");
  assertEquals(await commitOf(git("0123456789ab", " M main.ts")), "0123456789ab-dirty");
});

Deno.test("no repository or no git: dev", async () => {
  assertEquals(await commitOf(git(undefined, "")), "dev");
  const dir = await Deno.makeTempDir();
  try {
    const inDir = runIn(dir);
    assertEquals((await inDir("git", ["--version"])).success, true);
    assertEquals(await commitOf(inDir), "dev");
    const missing: Run = () => Promise.reject(new Deno.errors.NotFound("git"));
    assertEquals(await commitOf(missing), "dev");
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("another fault is not hidden", async () => {
  const broken: Run = () => Promise.reject(new Deno.errors.PermissionDenied("no"));
  await assertRejects(() => commitOf(broken), Deno.errors.PermissionDenied);
});
