// Reading a tree of values that somebody else wrote: nothing is where it should be, so every step
// may come back empty. Names are looked up in snake_case and, as Envoy allows, in camelCase.
import type { Node } from "./yaml.ts";

/** What `name` of a map holds. */
export function child(node: Node | undefined, name: string): Node | undefined {
  if (node?.kind !== "map") return undefined;
  const camel = name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  return (node.entries.get(name) ?? node.entries.get(camel))?.value;
}

/** Follows a path of names. */
export function at(node: Node | undefined, ...path: readonly string[]): Node | undefined {
  return path.reduce((here, name) => child(here, name), node);
}

/** Items of a list; none of anything else. */
export function items(node: Node | undefined): readonly Node[] {
  return node?.kind === "list" ? node.items : [];
}

/** A scalar as text. */
export function textOf(node: Node | undefined): string | undefined {
  if (node?.kind === "map") return templateOf(node);
  return node?.kind === "scalar" && node.value !== null ? String(node.value) : undefined;
}

/** `{{ .Values.x }}` without quotes reads as a map whose only key is a map without a value. */
function templateOf({ entries }: Node & { kind: "map" }): string | undefined {
  const [name = ""] = entries.size === 1 ? entries.keys() : [];
  const action = /^\{"(.*)":null\}$/.exec(name)?.[1];
  return action === undefined ? undefined : `{{ ${action.replaceAll('\\"', '"')} }}`;
}

/** A number, also a quoted one: JSON of protobuf quotes 64-bit numbers. */
export function numberOf(node: Node | undefined): number | undefined {
  const text = textOf(node);
  if (text === undefined || text.trim() === "") return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}

export function isTrue(node: Node | undefined): boolean {
  return textOf(node) === "true";
}

/** A protobuf duration (`1.5s`) in ms. */
export function durationMsOf(node: Node | undefined): number | undefined {
  const match = /^(-?\d+(?:\.\d+)?)s$/.exec(textOf(node) ?? "");
  return match === null ? undefined : Math.round(Number(match[1]) * 1e6) / 1e3;
}

/** Last word of `@type`: `HttpConnectionManager`. */
export function typeOf(node: Node | undefined): string {
  return textOf(child(node, "@type"))?.split(/[./]/).at(-1) ?? "";
}

/** The typed_config of an extension, out of its TypedStruct if it is in one. */
export function configOf(extension: Node | undefined): Node | undefined {
  const config = child(extension, "typed_config");
  return typeOf(config) === "TypedStruct" ? child(config, "value") : config;
}

/** Is an extension of this kind, by the type of its configuration or else by its name? */
export function isExtension(extension: Node, type: string, name: string): boolean {
  const config = child(extension, "typed_config");
  const found = typeOf(config) === "TypedStruct"
    ? textOf(child(config, "type_url"))?.split(/[./]/).at(-1) ?? ""
    : typeOf(config);
  return found === "" ? textOf(child(extension, "name")) === name : found === type;
}

/** Every node under `node` that `wanted` accepts; what was found is not looked into. */
export function findAll(node: Node | undefined, wanted: (node: Node) => boolean): Node[] {
  if (node === undefined) return [];
  if (wanted(node)) return [node];
  if (node.kind === "list") return node.items.flatMap((item) => findAll(item, wanted));
  if (node.kind !== "map") return [];
  return [...node.entries.values()].flatMap(({ value }) => findAll(value, wanted));
}
