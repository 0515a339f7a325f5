// YAML and JSON -> a plain tree that knows its lines. The only file that knows the YAML library;
// configuration files, manifests and Envoy configuration are all read through it.
import {
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node as LibraryNode,
  parseAllDocuments,
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

const NODES_MAX = 500_000;
/** Aliases can make a small text a huge tree. */
const ALIASED_NODES_MAX = 50_000;
const DEPTH_MAX = 200;
/** One mistake can make many; the first ones say enough. */
const FAULTS_MAX = 5;
const TOO_LARGE = "Cannot read YAML: too many or too deep values";

/** Parses every document of `text`; empty documents are left out. Never throws. */
export function parseYaml(text: string): YamlFile {
  try {
    return parsed(text);
  } catch (error) {
    return { documents: [], faults: [{ line: 1, message: whyNot(error) }] };
  }
}

function parsed(text: string): YamlFile {
  const lines = new LineCounter();
  // The library's own look for keys that are there twice takes a time that grows with their square.
  const options = { lineCounter: lines, prettyErrors: false, merge: true, uniqueKeys: false };
  const all = parseAllDocuments(text, options);
  const documents = "empty" in all ? [] : all;
  const errors = documents.flatMap((document) => document.errors);
  const faults = errors.slice(0, FAULTS_MAX).map((error) => fault(error, lines));
  const trees = faults.length > 0 ? [] : documents.map(({ contents }) => {
    return new Builder(lines, faults).tree(contents);
  });
  if (faults.length > 0) return { documents: [], faults };
  return { documents: trees.filter((tree) => tree !== undefined), faults };
}

/** A stack that overflows, here or in the library, is a tree that is too deep. */
function whyNot(error: unknown): string {
  if (error instanceof RangeError) return TOO_LARGE;
  return error instanceof Error ? error.message : String(error);
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
  const [said = ""] = error.message.split("\n");
  const first = /call stack/.test(said) ? TOO_LARGE : said;
  return { line: lines.linePos(error.pos[0]).line, message: first.replace(/[:.]$/, "") };
}

/** Builds the tree of one document. */
class Builder {
  readonly #lines: LineCounter;
  readonly #faults: YamlFault[];
  /** By name, the last one before the place that is built. */
  readonly #anchors = new Map<string, LibraryNode>();
  /** How many aliases stand around the place that is built. */
  #within = 0;
  #count = 0;
  #aliased = 0;

  /** Keys that are there twice are added to `faults`. */
  constructor(lines: LineCounter, faults: YamlFault[]) {
    this.#lines = lines;
    this.#faults = faults;
  }

  tree(contents: LibraryNode | null): Node | undefined {
    if (contents === null || (isScalar(contents) && contents.value === null)) return undefined;
    return this.#node(contents, 0);
  }

  #node(node: unknown, depth: number): Node {
    if (this.#within > 0) this.#aliased++;
    if (
      ++this.#count > NODES_MAX || this.#aliased > ALIASED_NODES_MAX || depth > DEPTH_MAX
    ) throw new RangeError(TOO_LARGE);
    if (isAlias(node)) return this.#alias(node.source, depth);
    this.#remember(node);
    if (isMap(node)) return this.#map(node.items, lineOf(node, this.#lines), depth);
    const line = lineOf(node as LibraryNode | null, this.#lines);
    if (isSeq(node)) {
      return { kind: "list", line, items: node.items.map((item) => this.#node(item, depth + 1)) };
    }
    if (!isScalar(node)) return scalar(null, undefined, line);
    const plain = scalar(node.value, node.source, line);
    return node.type === "BLOCK_LITERAL" ? { ...plain, literal: true } : plain;
  }

  /** What an alias stands for has its own anchors already. */
  #remember(node: unknown): void {
    if (this.#within > 0 || !(isCollection(node) || isScalar(node))) return;
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
  }

  /** An alias names an anchor before it, or the library would have complained. */
  #alias(name: string, depth: number): Node {
    const target = this.#anchors.get(name);
    if (target === undefined) throw new Error(`Cannot follow YAML alias: *${name}`);
    this.#within++;
    const node = this.#node(target, depth + 1);
    this.#within--;
    return node;
  }

  #map(pairs: readonly { key: unknown; value: unknown }[], line: number, depth: number): Node {
    const entries = new Map<string, Entry>();
    const own = new Set<string>();
    for (const { key, value } of pairs) {
      this.#remember(key);
      const name = isScalar(key) ? key.source ?? String(key.value) : String(key);
      const keyLine = lineOf(key as LibraryNode | null, this.#lines);
      if (name === "<<") {
        merge(entries, this.#node(value, depth + 1));
        continue;
      }
      if (own.has(name) && this.#within === 0 && this.#faults.length < FAULTS_MAX) {
        this.#faults.push({ line: keyLine, message: "Map keys must be unique" });
      }
      own.add(name);
      entries.set(name, { line: keyLine, value: this.#valueAt(value, keyLine, depth) });
    }
    return { kind: "map", line, entries };
  }

  /** A missing value has no place of its own: it stands where its key stands. */
  #valueAt(value: unknown, keyLine: number, depth: number): Node {
    return value === null ? scalar(null, undefined, keyLine) : this.#node(value, depth + 1);
  }
}

function merge(into: Map<string, Entry>, from: Node): void {
  const maps = from.kind === "list" ? from.items : [from];
  for (const map of maps) {
    if (map.kind !== "map") continue;
    for (const [name, entry] of map.entries) if (!into.has(name)) into.set(name, entry);
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
