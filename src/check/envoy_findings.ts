// One reading of an Envoy configuration: what it is held against, and the problems found so far,
// each at its line. Handed to every rule.
import type { Derived } from "./derived.ts";
import type { RuleId } from "./rules.ts";
import type { Place, Problem, Settings } from "./settings.ts";
import type { Node } from "./yaml.ts";

/** Where the tree came from. */
export interface TreeOrigin {
  /** Undefined for a live Envoy: a line of its answer helps nobody. */
  readonly file: string | undefined;
  /** Added to the lines of the tree, when it stands inside another file. */
  readonly lineOffset: number;
}

/** What a rule has to say about a place of the configuration. */
export interface EnvoyComplaint {
  readonly id: RuleId;
  readonly severity?: "error" | "warning";
  /** Name of the field or the part. */
  readonly what: string;
  /** Undefined when the field is not there. */
  readonly value?: string | undefined;
  readonly rule: string;
  readonly reason: string;
  readonly fix: string;
}

export class EnvoyFindings {
  readonly settings: Settings;
  readonly derived: Derived;
  readonly problems: Problem[] = [];
  readonly #origin: TreeOrigin;

  constructor(settings: Settings, derived: Derived, origin: TreeOrigin) {
    this.settings = settings;
    this.derived = derived;
    this.#origin = origin;
  }

  /** `node`: the field, or what should have held it. */
  complain(node: Node, { what, value, severity, ...rest }: EnvoyComplaint): void {
    this.problems.push({
      kind: "rule",
      severity: severity ?? "error",
      flag: `Envoy ${what}`,
      ...(value === undefined ? {} : { value }),
      ...this.#place(node),
      ...rest,
    });
  }

  #place(node: Node): { place?: Place } {
    const { file, lineOffset } = this.#origin;
    return file === undefined ? {} : { place: { file, line: node.line + lineOffset } };
  }
}
