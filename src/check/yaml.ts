// YAML and JSON -> a plain tree that knows its lines. The only file that knows the YAML library;
// configuration files, manifests and Envoy configuration are all read through it.
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node as LibraryNode,
  parseAllDocuments,
  type ParsedNode,
  type YAMLError,
} from "yaml";

/** A value with the line it starts on (from 1). */
export type Node =
  | { readonly kind: "map"; readonly line: number; readonly entries: ReadonlyMap<string, Entry> }
  | { readonly kind: "list"; readonly line: number; readonly items: readonly Node[] }
  | {
    readonly kind: "scalar";
    readonly line: number;
    /** As written, without quotes. */
    readonly text: string;
    readonly value: string | number | boolean | null;
    /** A literal block (`|`): its lines are lines of the file, from the one below `line` on. */
    readonly literal?: boolean;
  };

/** A key of a map, with its own line. */
export interface Entry {
  readonly line: number;
  readonly value: Node;
}

export interface YamlFault {
  readonly line: number;
  readonly message: string;
}

/** All documents of a text; `faults` are syntax errors (also duplicate keys). */
export interface YamlFile {
  readonly documents: readonly Node[];
  readonly faults: readonly YamlFault[];
}

/** Aliases can make a small text a huge tree. */
const NODES_MAX = 500_000;
const DEPTH_MAX = 200;

/** Parses every document of `text`; empty documents are left out. Never throws. */
export function parseYaml(text: string): YamlFile {
  const lines = new LineCounter();
  const parsed = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false, merge: true });
  const documents = "empty" in parsed ? [] : parsed;
  const faults = documents.flatMap(({ errors }) => errors).map((error) => fault(error, lines));
  if (faults.length > 0) return { documents: [], faults };
  try {
    const trees = documents.map((document) => new Builder(document, lines).tree());
    return { documents: trees.filter((tree) => tree !== undefined), faults };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { documents: [], faults: [{ line: 1, message }] };
  }
}

/** A tree of values that came as JSON from somewhere without lines. */
export function treeOf(value: unknown): Node {
  if (Array.isArray(value)) return { kind: "list", line: 1, items: value.map(treeOf) };
  if (value === null || typeof value !== "object") return scalar(value, undefined, 1);
  const entries = Object.entries(value)
    .map(([name, each]): [string, Entry] => [name, { line: 1, value: treeOf(each) }]);
  return { kind: "map", line: 1, entries: new Map(entries) };
}

function fault(error: YAMLError, lines: LineCounter): YamlFault {
  const [first = ""] = error.message.split("\n");
  return { line: lines.linePos(error.pos[0]).line, message: first.replace(/[:.]$/, "") };
}

/** Builds the tree of one document. */
class Builder {
  readonly #document: Document.Parsed<ParsedNode>;
  readonly #lines: LineCounter;
  #count = 0;

  constructor(document: Document.Parsed<ParsedNode>, lines: LineCounter) {
    this.#document = document;
    this.#lines = lines;
  }

  tree(): Node | undefined {
    const { contents } = this.#document;
    if (contents === null || (isScalar(contents) && contents.value === null)) return undefined;
    return this.#node(contents, 0);
  }

  #node(node: unknown, depth: number): Node {
    if (++this.#count > NODES_MAX || depth > DEPTH_MAX) {
      throw new RangeError("Cannot read YAML: too many or too deep values");
    }
    if (isAlias(node)) return this.#node(node.resolve(this.#document), depth + 1);
    if (isMap(node)) return this.#map(node.items, lineOf(node, this.#lines), depth);
    const line = lineOf(node as LibraryNode | null, this.#lines);
    if (isSeq(node)) {
      return { kind: "list", line, items: node.items.map((item) => this.#node(item, depth + 1)) };
    }
    if (!isScalar(node)) return scalar(null, undefined, line);
    const plain = scalar(node.value, node.source, line);
    return node.type === "BLOCK_LITERAL" ? { ...plain, literal: true } : plain;
  }

  #map(pairs: readonly { key: unknown; value: unknown }[], line: number, depth: number): Node {
    const entries = new Map<string, Entry>();
    for (const { key, value } of pairs) {
      const name = isScalar(key) ? key.source ?? String(key.value) : String(key);
      const keyLine = lineOf(key as LibraryNode | null, this.#lines);
      if (name === "<<") this.#merge(entries, this.#node(value, depth + 1));
      else entries.set(name, { line: keyLine, value: this.#valueAt(value, keyLine, depth) });
    }
    return { kind: "map", line, entries };
  }

  /** A missing value has no place of its own: it stands where its key stands. */
  #valueAt(value: unknown, keyLine: number, depth: number): Node {
    return value === null ? scalar(null, undefined, keyLine) : this.#node(value, depth + 1);
  }

  #merge(into: Map<string, Entry>, from: Node): void {
    const maps = from.kind === "list" ? from.items : [from];
    for (const map of maps) {
      if (map.kind !== "map") continue;
      for (const [name, entry] of map.entries) if (!into.has(name)) into.set(name, entry);
    }
  }
}

function lineOf(node: LibraryNode | null, lines: LineCounter): number {
  const start = node?.range?.[0];
  return start === undefined ? 1 : lines.linePos(start).line;
}

function scalar(
  value: unknown,
  source: string | undefined,
  line: number,
): Node & { kind: "scalar" } {
  if (typeof value === "string" || typeof value === "boolean" || typeof value === "number") {
    return { kind: "scalar", line, text: source ?? String(value), value };
  }
  return value === null || value === undefined
    ? { kind: "scalar", line, text: "", value: null }
    : { kind: "scalar", line, text: source ?? String(value), value: String(value) };
}
