// One reading of a pod: what it is held against, and the problems found so far, each at its line.
import { type Complaint, problemOf } from "./complaint.ts";
import type { Derived } from "./derived.ts";
import { placeIn, type RouterPod } from "./manifest.ts";
import { notChecked } from "./manifest_words.ts";
import { isOpen } from "./open_text.ts";
import type { Problem, Settings } from "./settings.ts";
import { child, items, numberOf, textOf } from "./tree.ts";
import type { Node } from "./yaml.ts";

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
  complain(node: Node, complaint: Complaint): void {
    this.problems.push(problemOf(complaint, complaint.what, placeIn(this.pod, node)));
  }

  /** Is a field known only in the cluster? Says so when it is. */
  isOpen(what: string, field: Node | undefined): boolean {
    const text = textOf(field);
    if (field === undefined || text === undefined || !isOpen(text)) return false;
    this.problems.push(notChecked(what, text, placeIn(this.pod, field)));
    return true;
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
