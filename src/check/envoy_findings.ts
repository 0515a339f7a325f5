// One reading of an Envoy configuration: what it is held against, and the problems found so far,
// each at its line. Handed to every rule.
import { type Complaint, problemOf } from "./complaint.ts";
import type { Derived } from "./derived.ts";
import type { Place, Problem, Settings } from "./settings.ts";
import { numberOf, textOf } from "./tree.ts";
import type { Node } from "./yaml.ts";

/** Where the tree came from. */
export interface TreeOrigin {
  /** Undefined for a live Envoy: a line of its answer helps nobody. */
  readonly file: string | undefined;
  /** Added to the lines of the tree, when it stands inside another file. */
  readonly lineOffset: number;
}

/** A limit that is too low when fewer fit in it than may wait at once. */
export interface EnvoyLimit extends Pick<Complaint, "id" | "what" | "reason"> {
  readonly field: Node | undefined;
  /** Envoy's default. */
  readonly otherwise: number;
  /** What should have held the field. */
  readonly holder: Node;
  /** More is never needed. */
  readonly most?: number;
  readonly fix: (breaker: number) => string;
}

/** How a complaint about a limit begins. */
export function belowWords(field: Node | undefined, otherwise: number): string {
  return field === undefined ? `is not set, so it is ${otherwise}, below` : "is below";
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

  /** A warning when a limit of Envoy's is below the router's breaker, or below `most` of it. */
  complainBelowBreaker(limit: EnvoyLimit): void {
    const { id, what, field, otherwise, holder, most = Infinity, reason, fix } = limit;
    const breaker = Math.min(this.derived.breaker, most);
    if ((numberOf(field) ?? otherwise) >= breaker) return;
    this.complain(field ?? holder, {
      id,
      severity: "warning",
      what,
      value: textOf(field),
      rule: `${belowWords(field, otherwise)} the router's breaker of ${breaker}`,
      reason,
      fix: fix(breaker),
    });
  }

  #place(node: Node): Place | undefined {
    const { file, lineOffset } = this.#origin;
    return file === undefined ? undefined : { file, line: node.line + lineOffset };
  }
}
