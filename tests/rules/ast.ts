// TypeScript syntax trees for the rules, from the parser inside `deno lint` (plugins may be run from
// `deno test`). One pass per file; rules ask for the kinds of nodes they care about.
import { text } from "./tree.ts";

/** A node of the tree, as far as the rules look into it. */
export interface Node {
  readonly type: string;
  /** Offsets of the first character and of the one after the last. */
  readonly range: readonly [number, number];
  readonly parent: Node | null;
  // deno-lint-ignore no-explicit-any
  readonly [field: string]: any;
}

/** What to do with nodes, by type. */
export type Visitor = Readonly<Record<string, (node: Node) => void>>;

/**
 * Walks the tree of a file.
 * @throws {SyntaxError} when the file cannot be parsed.
 */
export function visit(path: string, visitor: Visitor, source: string = text(path)): void {
  const plugin = { name: "rules", rules: { visit: { create: () => visitor } } };
  Deno.lint.runPlugin(plugin as unknown as Deno.lint.Plugin, path, source);
}

/** The text a literal or a template begins with; undefined for anything else. */
export function beginning(node: Node | undefined): string | undefined {
  if (node?.type === "Literal" && typeof node.value === "string") return node.value;
  if (node?.type === "TemplateLiteral") return node.quasis[0]?.cooked ?? undefined;
  return undefined;
}
