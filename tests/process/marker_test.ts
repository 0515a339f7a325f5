import { assertEquals, assertRejects } from "@std/assert";
import { Marker } from "../../src/process/marker.ts";

Deno.test("B75: a stale file is removed at start, the new one is written at the end", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const marker = new Marker(`${folder}/drained`);
    assertEquals(await marker.clear(), false);
    await Deno.writeTextFile(marker.path, "old");
    assertEquals(await marker.clear(), true);
    await assertRejects(() => Deno.stat(marker.path), Deno.errors.NotFound);
    await marker.write();
    await marker.write();
    assertEquals(await Deno.readTextFile(marker.path), "drained\n");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("failures name the file", async () => {
  const marker = new Marker("/nowhere/at/all/drained");
  await assertRejects(
    () => marker.write(),
    Error,
    "Cannot write as drain-complete file: /nowhere/at/all/drained",
  );
  const denied = new Marker("/run/drained", {
    remove: () => Promise.reject(new Deno.errors.PermissionDenied("no")),
    write: () => Promise.resolve(),
  });
  await assertRejects(
    () => denied.clear(),
    Error,
    "Cannot remove as stale drain-complete file: /run/drained",
  );
});
