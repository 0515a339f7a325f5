// One reading of an Envoy configuration: what it is held against, and the problems found so far,
// each at its line. Handed to every rule.
import { type Complaint, problemOf } from "./complaint.ts";
import type { Derived } from "./derived.ts";
import type { Place, Problem, Settings } from "./settings.ts";
import type { Node } from "./yaml.ts";

/** Where the tree came from. */
export interface TreeOrigin {
  /** Undefined for a live Envoy: a line of its answer helps nobody. */
  readonly file: string | undefined;
  /** Added to the lines of the tree, when it stands inside another file. */
  readonly lineOffset: number;
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
  complain(node: Node, complaint: Complaint): void {
    this.problems.push(problemOf(complaint, `Envoy ${complaint.what}`, this.#place(node)));
  }

  #place(node: Node): Place | undefined {
    const { file, lineOffset } = this.#origin;
    return file === undefined ? undefined : { file, line: node.line + lineOffset };
  }
}
