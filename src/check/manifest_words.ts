// What a container says to the router: the words behind `serve`, and its ATENET_… variables. What
// is not in the files is reported as not checked; texts may still hold templates and $(VARIABLES).
import {
  configMapOf,
  containerWords,
  isShell,
  type KubeObject,
  placeIn,
  type RouterPod,
} from "./manifest.ts";
import { isOpen } from "./open_text.ts";
import { hasUnreadWords } from "./manifest_shape.ts";
import type { Place, Problem } from "./settings.ts";
import { at, child, items, textOf } from "./tree.ts";
import type { Node } from "./yaml.ts";

/** A text with its place. */
export interface PlacedText {
  readonly text: string;
  readonly place: Place;
}

export interface ContainerWords {
  readonly words: readonly PlacedText[];
  /** By the variable's name. */
  readonly variables: ReadonlyMap<string, PlacedText>;
  /** Warnings: what was not checked. `flag` is the flag or variable concerned. */
  readonly unchecked: readonly Problem[];
  /** What may be set beyond what is to be seen here: nothing, what is not written, everything. */
  readonly open: "nothing" | "unwritten" | "everything";
}

/** Reads the router's container of a pod. */
export function containerText(
  pod: RouterPod,
  configMaps: readonly KubeObject[],
): ContainerWords {
  const unchecked: Problem[] = [];
  const words = readWords(pod, unchecked);
  const unread = unchecked.length > 0 || hasUnreadWords(pod);
  const variables = readVariables(pod, configMaps, unchecked);
  const more = words.some(({ text }) => isOpen(text.split("=")[0] ?? "")) ||
    unchecked.some(({ flag }) => flag === "envFrom");
  return {
    words,
    variables,
    unchecked,
    open: unread ? "everything" : more ? "unwritten" : "nothing",
  };
}

const OPEN = "Its value is known only in the cluster, so no rule has seen it";

/** The warning that something was left out. */
export function notChecked(flag: string, value: string, place: Place, why = OPEN): Problem {
  return {
    kind: "rule",
    id: "not-checked",
    severity: "warning",
    flag,
    value,
    place,
    rule: "is not checked",
    reason: why,
    fix: "Give the value on validate's own command line to check it",
  };
}

function readWords(pod: RouterPod, unchecked: Problem[]): PlacedText[] {
  const all = containerWords(pod.router)
    .map((node) => ({ text: textOf(node) ?? "", place: placeIn(pod, node) }));
  const [first] = all;
  if (first !== undefined && isShell(first.text)) {
    const why = "The router is started by a shell script";
    unchecked.push(notChecked("command", first.text, first.place, why));
    return [];
  }
  const serve = all.findIndex(({ text }) => text === "serve");
  return serve >= 0 ? all.slice(serve + 1) : all.filter(({ text }) => !isProgram(text));
}

/** The program's own name, when the image's entry point is written out. */
function isProgram(text: string): boolean {
  return /(^|\/)atenet-router$/.test(text);
}

function readVariables(
  pod: RouterPod,
  configMaps: readonly KubeObject[],
  unchecked: Problem[],
): ReadonlyMap<string, PlacedText> {
  const variables = new Map<string, PlacedText>();
  const add = (name: string, text: string, place: Place) => {
    if (name.startsWith("ATENET_")) variables.set(name, { text, place });
  };
  for (const source of items(child(pod.router, "envFrom"))) {
    readEnvFrom(pod, source, configMaps, add, unchecked);
  }
  const open = new Map<string, Problem>();
  for (const entry of items(child(pod.router, "env"))) {
    const name = textOf(child(entry, "name")) ?? "";
    const value = child(entry, "value");
    const node = value ?? fromConfigMap(pod, entry, configMaps);
    // The last one of a name counts, and any of them covers what envFrom brings.
    variables.delete(name);
    open.delete(name);
    if (node !== undefined) add(name, textOf(node) ?? "", placeIn(pod, value ?? entry));
    else if (child(entry, "valueFrom") !== undefined && name.startsWith("ATENET_")) {
      open.set(name, notChecked(name, "valueFrom", placeIn(pod, entry)));
    }
  }
  unchecked.push(...open.values());
  return variables;
}

function fromConfigMap(
  pod: RouterPod,
  entry: Node,
  configMaps: readonly KubeObject[],
): Node | undefined {
  const reference = at(entry, "valueFrom", "configMapKeyRef");
  const map = configMapOf(pod, configMaps, textOf(child(reference, "name")));
  return child(child(map?.node, "data"), textOf(child(reference, "key")) ?? "");
}

function readEnvFrom(
  pod: RouterPod,
  source: Node,
  configMaps: readonly KubeObject[],
  add: (name: string, text: string, place: Place) => void,
  unchecked: Problem[],
): void {
  const prefix = textOf(child(source, "prefix")) ?? "";
  const name = textOf(at(source, "configMapRef", "name"));
  const data = child(configMapOf(pod, configMaps, name)?.node, "data");
  if (data?.kind !== "map") {
    const value = name ?? textOf(at(source, "secretRef", "name")) ?? "";
    const why = "What it holds does not stand in the files given";
    unchecked.push(notChecked("envFrom", value, placeIn(pod, source), why));
    return;
  }
  for (const [key, { value }] of data.entries) {
    add(prefix + key, textOf(value) ?? "", placeIn(pod, source));
  }
}
