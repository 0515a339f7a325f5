// The variables the binary may read are those that the sources read: one that is not granted is, in
// the binary alone, as if it were not set.
import { assert, assertEquals } from "@std/assert";
import { PERMISSIONS, VARIABLES } from "../../build/permissions.ts";

const SRC = new URL("../../src/", import.meta.url);
/** `env("NAME")`, `Deno.env.get("NAME")`. */
const READ = /\benv(?:\.get)?\(\s*["'`]([A-Z][A-Z0-9_]*)/g;

function sources(folder: URL): string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) => {
    if (isDirectory) return sources(new URL(`${name}/`, folder));
    return name.endsWith(".ts") ? [Deno.readTextFileSync(new URL(name, folder))] : [];
  });
}

const TEXTS = sources(SRC);

function isGranted(variable: string): boolean {
  return VARIABLES.some((granted) =>
    granted.endsWith("*") ? variable.startsWith(granted.slice(0, -1)) : variable === granted
  );
}

Deno.test("every variable that the sources read by name is granted", () => {
  const read = new Set(TEXTS.flatMap((text) => [...text.matchAll(READ)].map(([, name]) => name!)));
  assert(read.has("NO_COLOR") && read.has("PATH"), [...read].join(" "));
  assertEquals([...read].filter((name) => !isGranted(name)), []);
});

Deno.test("no variable is granted that the sources do not know", () => {
  for (const granted of VARIABLES) {
    const part = granted.replace("*", "");
    assert(TEXTS.some((text) => text.includes(part)), granted);
  }
});

Deno.test("the variables are one permission, and the rest of the environment is closed", () => {
  const flags = PERMISSIONS.map(({ flag }) => flag);
  assert(flags.includes(`--allow-env=${VARIABLES.join(",")}`) && flags.includes("--ignore-env"));
});
