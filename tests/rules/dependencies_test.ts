// Few dependencies, each pinned, locked, explained in docs/design.md and free to be used by us.
import { assert, assertEquals } from "@std/assert";
import { type Dependency, inline, inUse, isLocked, locked, mapped } from "./packages.ts";
import { text } from "./tree.ts";

/** Licences that may be combined with Apache-2.0 in one program. */
const LICENCES = new Set([
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "CC0-1.0",
  "ISC",
  "MIT",
  "Unlicense",
]);

const EXACT = /^\d+\.\d+\.\d+$/;

function describe(one: Dependency): string {
  return `${one.where}: ${one.specifier}`;
}

function isStd(one: Dependency): boolean {
  return one.specifier.startsWith("jsr:@std/");
}

Deno.test("every package is pinned to one version", () => {
  const loose = [...mapped(), ...inline()].filter((one) => !isStd(one) && !EXACT.test(one.version));
  assertEquals(loose.map(describe), []);
});

Deno.test("the standard library is asked for by major version, because a folder may stand in", () => {
  assertEquals(mapped().filter((one) => isStd(one) && one.version !== "^1").map(describe), []);
});

Deno.test("the lock file holds every package of the import maps", () => {
  assertEquals(inUse().filter((one) => !isStd(one) && !isLocked(one)).map(describe), []);
});

/** Rows `| \`name\` | reason |` under the heading Dependencies. */
function reasons(design: string): Map<string, string> {
  const part = design.split(/^## /m).find((one) => one.startsWith("Dependencies\n")) ?? "";
  const rows = [...part.matchAll(/^\|\s*`([^`]+)`\s*\|([^|]+)\|/gm)];
  return new Map(rows.map(([, name = "", reason = ""]) => [name, reason.trim()]));
}

Deno.test("every package has one line of reason in docs/design.md, and every line a package", () => {
  const named = new Set([...mapped(), ...inline()].map((one) => one.name));
  const told = reasons(text("docs/design.md"));
  assertEquals([...named].filter((name) => !told.has(name)), [], "without a reason");
  assertEquals([...told.keys()].filter((name) => !named.has(name)), [], "no longer used");
  assertEquals([...told].filter(([, reason]) => reason.length < 15), [], "reason too short");
});

/** Is every part of an expression such as `(MIT OR GPL-2.0) AND ISC` allowed? */
function licenceAllowed(expression: string): boolean {
  const inner = expression.replace(/[()]/g, " ").trim();
  return inner.split(/\s+AND\s+/).every((part) =>
    part.split(/\s+OR\s+/).some((name) => LICENCES.has(name.trim()))
  );
}

async function npmCache(): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output();
  return JSON.parse(new TextDecoder().decode(stdout)).npmCache;
}

/** The licence a package declares; undefined when the package is not in the cache. */
function licenceOf(cache: string, name: string, version: string): string | undefined {
  for (const host of Deno.readDirSync(cache)) {
    const path = `${cache}/${host.name}/${name}/${version}/package.json`;
    try {
      const { license } = JSON.parse(Deno.readTextFileSync(path));
      return typeof license === "string" ? license : license?.type ?? "none";
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory)) {
        throw error;
      }
    }
  }
  return undefined;
}

Deno.test("every locked package has a licence that goes with ours", async () => {
  const cache = await npmCache();
  const all = locked().map((one) => ({ ...one, licence: licenceOf(cache, one.name, one.version) }));
  const bad = all.filter(({ licence }) => licence !== undefined && !licenceAllowed(licence));
  assertEquals(bad, []);
  const absent = all.filter(({ licence }) => licence === undefined).map(({ name }) => name);
  if (absent.length > 0) console.log(`not in the cache, licence not read: ${absent.join(", ")}`);
  const direct = new Set(inUse().map((one) => one.name));
  assertEquals(absent.filter((name) => direct.has(name)), [], "direct, and not in the cache");
  assert(all.length > absent.length, "no licence was read");
});

Deno.test("the licence rule reads expressions", () => {
  const rows: [string, boolean][] = [
    ["MIT", true],
    ["(Apache-2.0 AND BSD-3-Clause)", true],
    ["(MIT OR GPL-3.0)", true],
    ["GPL-3.0-only", false],
    ["(MIT AND GPL-3.0)", false],
    ["none", false],
    ["SEE LICENSE IN x", false],
  ];
  for (const [expression, allowed] of rows) {
    assertEquals(licenceAllowed(expression), allowed, expression);
  }
});
