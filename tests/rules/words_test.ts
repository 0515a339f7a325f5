// Words that must not stand in the repository: hosts of package registries (clients know theirs),
// paths of somebody's machine, and references to papers a reader cannot open.
import { assertEquals } from "@std/assert";
import { allFiles, text } from "./tree.ts";

/** Joined here so that this file does not contain what it looks for. */
function joined(...parts: string[]): string {
  return parts.join("");
}

const WORDS: readonly [why: string, pattern: RegExp][] = [
  ...[
    joined("registry.", "npmjs.org"),
    joined("npmjs", ".com"),
    joined("jsr", ".io"),
    joined("deno", ".land"),
    joined("esm", ".sh"),
    joined("pypi", ".org"),
    joined("pythonhosted", ".org"),
    joined("proxy.", "golang.org"),
    joined("sum.", "golang.org"),
    joined("crates", ".io"),
    joined("deb.", "debian.org"),
  ].map((host): [string, RegExp] => [
    "the host of a registry",
    new RegExp(`(?<![\\w-])${host.replaceAll(".", "\\.")}`),
  ]),
  ...[joined("/wo", "rk/"), joined("/t", "mp/"), joined("/ro", "ot/"), joined("/ho", "me/")].map((
    path,
  ): [string, RegExp] => ["a path of a machine", new RegExp(`(?<![\\w.$}/-])${path}`)]),
  ["a path outside the repository", new RegExp(joined("\\.\\./sh", "ared"))],
  ["a paper nobody can open", new RegExp(joined("\\bspec", "\\.md\\b"))],
  ["an unnamed list", new RegExp(joined("\\bis", "sue #?\\d"), "i")],
];

/** Files that are not text of ours. */
const NOT_OURS = new Set(["LICENSE", "deno.lock"]);

function found(path: string, source: string): string[] {
  return source.split("\n").flatMap((line, i) =>
    WORDS.filter(([, pattern]) => pattern.test(line)).map(([why]) => `${path}:${i + 1} ${why}`)
  );
}

Deno.test("no file names a registry, a machine or a paper a reader cannot open", () => {
  const all = allFiles().filter((path) => !NOT_OURS.has(path));
  const readable = all.filter((path) => !text(path).includes("\0"));
  assertEquals(readable.flatMap((path) => found(path, text(path))), []);
});

Deno.test("the lock file names no host", () => {
  assertEquals(text("deno.lock").includes("https:"), false);
});

Deno.test("the search for words finds them", () => {
  const source = [
    joined("see https://", "jsr", ".io/@std"),
    joined("in /t", "mp/x"),
    joined("in docs/t", "mp/x and a/wo", "rk/b are fine"),
    joined("read ../sh", "ared/x"),
    joined("done in is", "sue 3"),
    "the jsr: and npm: prefixes are fine",
  ].join("\n");
  assertEquals(found("x", source), [
    "x:1 the host of a registry",
    "x:2 a path of a machine",
    "x:4 a path outside the repository",
    "x:5 an unnamed list",
  ]);
});
