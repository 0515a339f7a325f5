// Attribute sets of route.duration, made once and used again: the hot path allocates none. They are
// handed out in the short form of label_sets.ts.
// Owner: telemetry. Template names come from the control plane: their number is bounded here.
import type { Attributes } from "@opentelemetry/api";
import type { ResumeLabel, RouteOutcome, Verdict } from "../engine/mod.ts";
import type { LabelSets } from "./label_sets.ts";
import { cut, oneLine } from "./redact.ts";

/** Pairs of template namespace and name that are kept; further ones are `other`. */
const TEMPLATES_MAX = 256;
const NAME_MAX = 128;
const UNKNOWN = "unknown";
const OTHER = "other";

type Row = Partial<Record<ResumeLabel, Attributes>>;
type Table = Partial<Record<RouteOutcome, Row>>;

/** From a verdict to its attributes: the same object for the same values. */
export class RouteAttributes {
  readonly #sets: LabelSets;
  readonly #templates = new Map<string, Map<string, Table>>();
  readonly #others: Table = {};
  /** By their labels: two sets with the same labels would be one series twice. */
  readonly #tables = new Map([[labels(OTHER, OTHER), this.#others]]);
  #count = 0;

  constructor(sets: LabelSets) {
    this.#sets = sets;
  }

  of(verdict: Verdict): Attributes {
    const { templateNamespace: namespace, templateName: name, outcome, resume } = verdict;
    const table = this.#templates.get(namespace)?.get(name) ?? this.#newTable(namespace, name);
    const row = table[outcome] ??= {};
    return row[resume] ??= this.#sets.shorten({
      actor_template_namespace: table === this.#others ? OTHER : label(namespace),
      actor_template_name: table === this.#others ? OTHER : label(name),
      outcome,
      resume,
    });
  }

  #newTable(namespace: string, name: string): Table {
    if (this.#count >= TEMPLATES_MAX) return this.#others;
    this.#count++;
    const key = labels(label(namespace), label(name));
    const table = this.#tables.get(key) ?? {};
    this.#tables.set(key, table);
    const names = this.#templates.get(namespace) ?? new Map<string, Table>();
    this.#templates.set(namespace, names.set(name, table));
    return table;
  }
}

function label(value: string): string {
  return value === "" ? UNKNOWN : cut(oneLine(value), NAME_MAX);
}

/** One key for both; labels are one line, so none holds the line end between them. */
function labels(namespace: string, name: string): string {
  return `${namespace}\n${name}`;
}
