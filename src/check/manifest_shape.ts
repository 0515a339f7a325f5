// Fields of the router's container that are not what Kubernetes takes: it would refuse the whole
// manifest, and what stands in them cannot be read as words. Place in the flow: checked before the
// words of a container count. Texts in which a template stands are not known yet.
import { placeIn, type RouterPod } from "./manifest.ts";
import { isOpen } from "./open_text.ts";
import type { Problem } from "./settings.ts";
import { child, items, textOf } from "./tree.ts";
import type { Node } from "./yaml.ts";

/** Are the words of the container no lists, so that none of them could be read? */
export function hasUnreadWords({ router }: RouterPod): boolean {
  return ["command", "args"].some((name) => {
    const field = child(router, name);
    return field !== undefined && field.kind !== "list" && !isNothing(field);
  });
}

/** Problems with the form of the words, the variables and the grace period. */
export function shapeProblems(pod: RouterPod): Problem[] {
  const { router, spec } = pod;
  const grace = child(spec, "terminationGracePeriodSeconds");
  return [
    ...["command", "args"].flatMap((name) => wordProblems(pod, name, child(router, name))),
    ...listProblems(pod, "env", child(router, "env")),
    ...listProblems(pod, "envFrom", child(router, "envFrom")),
    ...items(child(router, "env")).flatMap((entry) => variableProblems(pod, entry)),
    ...(grace === undefined || isNumber(grace) || isTemplate(grace) ? [] : [
      misshapen(pod, "terminationGracePeriodSeconds", grace, "a number", seconds(grace)),
    ]),
  ];
}

function wordProblems(pod: RouterPod, name: string, field: Node | undefined): Problem[] {
  return [
    ...listProblems(pod, name, field),
    ...items(field).filter((word) => !isText(word) && !isTemplate(word))
      .map((word) => misshapen(pod, name, word, "a text", `"${shown(word)}"`)),
  ];
}

function listProblems(pod: RouterPod, name: string, field: Node | undefined): Problem[] {
  if (field === undefined || field.kind === "list" || isTemplate(field) || isNothing(field)) {
    return [];
  }
  return [misshapen(pod, name, field, "a list", "one item a line, each behind a dash")];
}

function variableProblems(pod: RouterPod, entry: Node): Problem[] {
  const value = child(entry, "value");
  if (value === undefined || isText(value) || isTemplate(value) || isNothing(value)) return [];
  const name = textOf(child(entry, "name")) ?? "env";
  return [misshapen(pod, name, value, "a text", `"${shown(value)}"`)];
}

function seconds(node: Node): string {
  const text = textOf(node)?.trim() ?? "";
  return /^\d+$/.test(text) ? text : "60";
}

function isText(node: Node): boolean {
  return node.kind === "scalar" && typeof node.value === "string";
}

function isNumber(node: Node): boolean {
  return node.kind === "scalar" && typeof node.value === "number";
}

function isNothing(node: Node): boolean {
  return node.kind === "scalar" && node.value === null;
}

function isTemplate(node: Node): boolean {
  return isOpen(textOf(node) ?? "");
}

function shown(node: Node): string {
  return node.kind === "scalar" ? node.text : "…";
}

function misshapen(
  pod: RouterPod,
  name: string,
  node: Node,
  wanted: string,
  example: string,
): Problem {
  return {
    kind: "usage",
    id: "bad-file",
    severity: "error",
    flag: name,
    ...(node.kind === "scalar" ? { value: isText(node) ? `"${node.text}"` : node.text } : {}),
    place: placeIn(pod, node),
    rule: `is not ${wanted}`,
    reason: "Kubernetes would refuse the manifest",
    fix: `Write ${example}`,
  };
}
