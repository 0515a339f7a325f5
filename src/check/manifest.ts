// Kubernetes manifests: finds the pods that run the router, and what stands in ConfigMaps. Reads
// YAML only; what the words of a container mean is the command line's business.
import type { Place } from "./settings.ts";
import { at, child, items, textOf } from "./tree.ts";
import { type Node, parseYaml, type YamlFault } from "./yaml.ts";

/** A file that was read. */
export interface ManifestFile {
  readonly file: string;
  readonly text: string;
}

/** A Kubernetes object. */
export interface KubeObject {
  readonly file: string;
  readonly kind: string;
  readonly name: string;
  readonly node: Node;
}

/** A pod that runs the router. */
export interface RouterPod {
  /** `Deployment/atenet-router`. */
  readonly workload: string;
  readonly file: string;
  /** The pod's spec. */
  readonly spec: Node;
  readonly router: Node;
  /** The Envoy beside it. */
  readonly envoy?: EnvoySidecar;
}

export interface EnvoySidecar {
  readonly container: Node;
  /** A native sidecar (an init container that is always restarted): stopped after the others. */
  readonly native: boolean;
}

export interface Manifests {
  readonly pods: readonly RouterPod[];
  readonly configMaps: readonly KubeObject[];
  readonly faults: readonly (YamlFault & { readonly file: string })[];
}

/** Reads all files together: a pod may stand in one and its ConfigMap in another. */
export function readManifests(files: readonly ManifestFile[]): Manifests {
  const faults: (YamlFault & { file: string })[] = [];
  const objects = files.flatMap(({ file, text }) => {
    const parsed = parseYaml(text);
    faults.push(...parsed.faults.map((fault) => ({ ...fault, file })));
    return parsed.documents.flatMap((node) => objectsOf(file, node));
  });
  return {
    pods: objects.flatMap(routerPods),
    configMaps: objects.filter(({ kind }) => kind === "ConfigMap"),
    faults,
  };
}

function objectsOf(file: string, node: Node): KubeObject[] {
  const kind = textOf(child(node, "kind")) ?? "";
  if (kind.endsWith("List")) {
    return items(child(node, "items")).flatMap((item) => objectsOf(file, item));
  }
  return [{ file, kind, name: textOf(at(node, "metadata", "name")) ?? "", node }];
}

function podSpec({ kind, node }: KubeObject): Node | undefined {
  const spec = child(node, "spec");
  if (kind === "Pod") return spec;
  return kind === "CronJob"
    ? at(spec, "jobTemplate", "spec", "template", "spec")
    : at(spec, "template", "spec");
}

function routerPods(object: KubeObject): RouterPod[] {
  const spec = podSpec(object);
  if (spec === undefined) return [];
  const envoy = envoySidecar(spec);
  return items(child(spec, "containers")).filter(isRouter).map((router) => ({
    workload: `${object.kind}/${object.name}`,
    file: object.file,
    spec,
    router,
    ...(envoy === undefined ? {} : { envoy }),
  }));
}

/** Last part of a path or of an image's name, without tag and digest. */
function baseName(text: string): string {
  return text.split("/").at(-1)?.split(/[:@]/)[0] ?? "";
}

/** Words of a container: its command, then its args. */
export function containerWords(container: Node): Node[] {
  return [...items(child(container, "command")), ...items(child(container, "args"))];
}

const OTHER_COMMANDS = new Set(["validate", "envoy", "status", "completion"]);

/** Runs it `atenet-router serve`? By what it runs, by its image, or by its name. */
function isRouter(container: Node): boolean {
  const words = containerWords(container).map((word) => textOf(word) ?? "");
  const command = words.find((word) => !word.startsWith("-") && !word.includes("/"));
  if (command !== undefined && OTHER_COMMANDS.has(command)) return false;
  const image = baseName(textOf(child(container, "image")) ?? "");
  const names = [textOf(child(container, "name")), baseName(words[0] ?? ""), image];
  return names.includes("atenet-router") || image.startsWith("atenet-router-");
}

function isEnvoy(container: Node): boolean {
  const [first] = containerWords(container).map((word) => textOf(word) ?? "");
  const image = baseName(textOf(child(container, "image")) ?? "");
  return /^envoy/.test(image) || baseName(first ?? "") === "envoy";
}

function envoySidecar(spec: Node): EnvoySidecar | undefined {
  const plain = items(child(spec, "containers")).find(isEnvoy);
  if (plain !== undefined) return { container: plain, native: false };
  const native = items(child(spec, "initContainers"))
    .find((each) => isEnvoy(each) && textOf(child(each, "restartPolicy")) === "Always");
  return native === undefined ? undefined : { container: native, native: true };
}

/** The place of a node in a pod's file. */
export function placeIn(pod: RouterPod, node: Node): Place {
  return { file: pod.file, line: node.line };
}
