// The folders under std/ stand in for real packages. Taking the `links` line out of deno.json must
// give the real ones and nothing else: same paths, same names, nothing imported that they lack.
import { assertEquals } from "@std/assert";
import { visit } from "./ast.ts";
import { importsOf } from "./imports.ts";
import { STD } from "./std_packages.ts";
import { allFiles, text, written } from "./tree.ts";

interface Config {
  readonly name: string;
  readonly version: string;
  readonly exports: Readonly<Record<string, string>>;
}

const FOLDERS = allFiles().filter((path) => /^std\/[^/]+\/deno\.json$/.test(path))
  .map((path) => path.slice(0, -"/deno.json".length));

function config(folder: string): Config {
  return JSON.parse(text(`${folder}/deno.json`));
}

/** Names a module exports by declaration or list. */
function exported(path: string, source: string = text(path)): string[] {
  const names: string[] = [];
  visit(path, {
    ExportNamedDeclaration(node) {
      const { declaration, specifiers } = node;
      if (declaration?.id) names.push(declaration.id.name);
      for (const one of declaration?.declarations ?? []) names.push(one.id.name);
      for (const one of specifiers ?? []) names.push(one.exported.name);
    },
    ExportAllDeclaration: () => names.push("*"),
    ExportDefaultDeclaration: () => names.push("default"),
  }, source);
  return names.sort();
}

/** `@std/testing/time` -> its package and path. */
function split(specifier: string): [name: string, path: string] {
  const [scope = "", name = "", ...rest] = specifier.split("/");
  return [`${scope}/${name}`, rest.length === 0 ? "." : `./${rest.join("/")}`];
}

Deno.test("every stand-in is linked and named in the import map", () => {
  const { links = [], imports } = JSON.parse(text("deno.json"));
  if (links.length > 0) assertEquals([...links].sort(), FOLDERS.map((folder) => `./${folder}`));
  for (const folder of FOLDERS) {
    const { name, version } = config(folder);
    assertEquals(imports[name], `jsr:${name}@^1`);
    assertEquals(version.split(".")[0], "1", name);
  }
});

Deno.test("a stand-in offers nothing that the real package does not", () => {
  const extra = FOLDERS.flatMap((folder) => {
    const { name, exports } = config(folder);
    return Object.entries(exports).flatMap(([path, file]) => {
      const real = STD[name]?.[path];
      if (!real) return [`${name} has no ${path}`];
      const names = exported(`${folder}/${file.slice(2)}`);
      return names.filter((one) => !real.includes(one)).map((one) => `${name} ${path}: ${one}`);
    });
  });
  assertEquals(extra, []);
});

Deno.test("no stand-in is empty", () => {
  const empty = FOLDERS.filter((folder) =>
    Object.values(config(folder).exports)
      .every((file) => exported(`${folder}/${file.slice(2)}`).length === 0)
  );
  assertEquals(empty, []);
});

Deno.test("everything imported from @std exists in the real package", () => {
  const imports = written().flatMap((file) => importsOf(file))
    .filter((one) => one.specifier.startsWith("@std/"));
  const wrong = imports.flatMap((one) => {
    const [name, path] = split(one.specifier);
    const real = STD[name]?.[path] ?? [];
    return one.names.filter((each) => !real.includes(each))
      .map((each) => `${one.file}:${one.line} ${one.specifier}: ${each}`);
  });
  assertEquals(wrong, []);
});

Deno.test("the search for exports finds every kind", () => {
  const source = [
    "export function a() {}",
    "export const b = 1, c = 2;",
    "export class D {}",
    "export interface E {}",
    "export type F = 1;",
    "const g = 1;",
    "export { g as h };",
    'export * from "./x.ts";',
  ].join("\n");
  assertEquals(exported("x.ts", source), ["*", "D", "E", "F", "a", "b", "c", "h"]);
  assertEquals(split("@std/testing/time"), ["@std/testing", "./time"]);
  assertEquals(split("@std/assert"), ["@std/assert", "."]);
});
