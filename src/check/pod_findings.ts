// One reading of a pod: what it is held against, and the problems found so far, each at its line.
import type { Derived } from "./derived.ts";
import { placeIn, type RouterPod } from "./manifest.ts";
import type { RuleId } from "./rules.ts";
import type { Problem, Settings } from "./settings.ts";
import { child, items, numberOf, textOf } from "./tree.ts";
import type { Node } from "./yaml.ts";

/** What a rule has to say about a field of the pod. */
export interface PodComplaint {
  readonly id: RuleId;
  readonly severity?: "error" | "warning";
  readonly what: string;
  readonly value?: string | undefined;
  readonly rule: string;
  readonly reason: string;
  readonly fix: string;
}

export class PodFindings {
  readonly pod: RouterPod;
  readonly settings: Settings;
  readonly derived: Derived;
  readonly problems: Problem[] = [];

  constructor(pod: RouterPod, settings: Settings, derived: Derived) {
    this.pod = pod;
    this.settings = settings;
    this.derived = derived;
  }

  /** `node`: the field, or what should have held it. */
  complain(node: Node, { what, value, severity, ...rest }: PodComplaint): void {
    this.problems.push({
      kind: "rule",
      severity: severity ?? "error",
      flag: what,
      ...(value === undefined ? {} : { value }),
      place: placeIn(this.pod, node),
      ...rest,
    });
  }

  /** Is the status server bound to an address that the kubelet cannot reach? */
  get statusIsLocal(): boolean {
    return this.settings.statusAddress.startsWith("127.") || this.settings.statusAddress === "::1";
  }
}

/** A port by number, or by the name that the container gives it. */
export function portOf(container: Node, port: Node | undefined): number | undefined {
  const number = numberOf(port);
  if (number !== undefined) return number;
  const named = items(child(container, "ports"))
    .find((each) => textOf(child(each, "name")) === textOf(port));
  return numberOf(child(named, "containerPort"));
}
