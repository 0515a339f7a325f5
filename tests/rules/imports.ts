// What a file imports: static, dynamic and type imports and re-exports, read from its syntax tree.
// Used by the rules on rooms, cycles, packages and stand-ins.
import { type Node, visit } from "./ast.ts";
import { lineAt, ROOT, text } from "./tree.ts";

/** One import of one file. */
export interface Import {
  readonly file: string;
  readonly line: number;
  readonly specifier: string;
  /** Nothing of it is left at run time. */
  readonly typeOnly: boolean;
  /** Names taken from it; `*` for all of them. */
  readonly names: readonly string[];
  /** Path of the imported file from the root; undefined for packages. */
  readonly target: string | undefined;
}

function resolve(file: string, specifier: string): string | undefined {
  if (!specifier.startsWith(".")) return undefined;
  const url = new URL(specifier, new URL(file, ROOT));
  return url.pathname.slice(ROOT.pathname.length);
}

/** Name of what a specifier takes: `a` for `a as b`. */
function nameOf(specifier: Node): string {
  switch (specifier.type) {
    case "ImportSpecifier":
      return specifier.imported.name ?? specifier.imported.value;
    case "ExportSpecifier":
      return specifier.local.name ?? specifier.local.value;
    case "ImportDefaultSpecifier":
      return "default";
    default:
      return "*";
  }
}

/** Everything `file` imports, in the order of its text. */
export function importsOf(file: string, source: string = text(file)): Import[] {
  const found: Import[] = [];
  const add = (node: Node, from: Node, typeOnly: boolean, names: string[]) => {
    const specifier = typeof from?.value === "string" ? from.value : "(computed)";
    const line = lineAt(source, node.range[0]);
    found.push({ file, line, specifier, typeOnly, names, target: resolve(file, specifier) });
  };
  const listed = (node: Node, kind: string) => {
    const specifiers: Node[] = node.specifiers ?? [];
    const typed = node[kind] === "type" ||
      (specifiers.length > 0 && specifiers.every((one) => one[kind] === "type"));
    add(node, node.source, typed, specifiers.map(nameOf));
  };
  visit(file, {
    ImportDeclaration: (node) => listed(node, "importKind"),
    ExportNamedDeclaration: (node) => {
      if (node.source) listed(node, "exportKind");
    },
    ExportAllDeclaration: (node) => add(node, node.source, node.exportKind === "type", ["*"]),
    ImportExpression: (node) => add(node, node.source, false, ["*"]),
    TSImportType: (node) => add(node, node.source ?? node.argument?.literal, true, ["*"]),
  }, source);
  return found;
}
