// The runtime of an executable is read from its bytes, and only the expected one is let through.
import { assertEquals, assertRejects } from "@std/assert";
import { checkRuntime, runtimesIn } from "../../build/runtime.ts";
import { tempFiles } from "../support/certs.ts";

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

Deno.test("versions are found wherever they stand, each once", () => {
  const rows: [text: string, found: string[]][] = [
    ["", []],
    ["Deno/", []],
    ["Deno/2.9", []],
    ["\x7fELF…Deno/2.9.3Deno/2.9.3+8871ade…", ["2.9.3"]],
    ["Deno/2.9.3\0…Deno/2.6.10\0", ["2.9.3", "2.6.10"]],
    ["Deno/2.9.3.4", []],
    ["Deno/0.77.0", []],
    ["deno/2.9.3 Deno 2.9.3", []],
    ["DenDeno/1.2.3", ["1.2.3"]],
  ];
  for (const [text, found] of rows) assertEquals(runtimesIn(bytes(text)), found, text);
});

Deno.test("this Deno names itself", async () => {
  assertEquals(runtimesIn(await Deno.readFile(Deno.execPath())), [Deno.version.deno]);
});

Deno.test("an executable on another runtime, on none or on two is refused", async () => {
  const wrong = { old: "…Deno/2.6.10…", none: "…", two: "Deno/2.9.3 Deno/2.6.10" };
  await using files = await tempFiles({ good: "…Deno/2.9.3…", ...wrong });
  await checkRuntime(files.path("good"), "2.9.3");
  for (const name of Object.keys(wrong)) {
    const refused = () => checkRuntime(files.path(name), "2.9.3");
    await assertRejects(refused, Error, "Cannot ship as a program on Deno 2.9.3");
  }
});
