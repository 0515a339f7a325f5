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
  /** Empty when it is left to whoever applies it. */
  readonly namespace: string;
  readonly node: Node;
}

/** A pod that runs the router. */
export interface RouterPod {
  /** `Deployment/atenet-router`. */
  readonly workload: string;
  readonly file: string;
  /** Empty when it is left to whoever applies it. */
  readonly namespace: string;
  /** The pod's spec. */
  readonly spec: Node;
  readonly router: Node;
  /** When the router is stopped. */
  readonly stop: StopTurn;
  /** The Envoy beside it. */
  readonly envoy?: EnvoySidecar;
}

export interface EnvoySidecar {
  readonly container: Node;
  /** A native sidecar (an init container that is always restarted): stopped after the others. */
  readonly native: boolean;
  readonly stop: StopTurn;
}

/** Turn in which a container gets its SIGTERM: 0 = with the pod, native sidecars later, last first. */
export type StopTurn = number;

export interface Manifests {
  readonly pods: readonly RouterPod[];
  readonly configMaps: readonly KubeObject[];
  /** What is no Kubernetes object: a plain file that was given along. */
  readonly others: readonly KubeObject[];
  readonly faults: readonly (YamlFault & { readonly file: string })[];
}

/** Reads all files together: a pod may stand in one and its ConfigMap in another. */
export function readManifests(files: readonly ManifestFile[]): Manifests {
  const faults: (YamlFault & { file: string })[] = [];
  const objects = files.flatMap(({ file, text }) => {
    const parsed = parseYaml(text);
    faults.push(...faultsOf(text, parsed.faults).map((fault) => ({ ...fault, file })));
    return parsed.documents.flatMap((node) => objectsOf(file, node));
  });
  return {
    pods: objects.flatMap(routerPods),
    configMaps: objects.filter(({ kind }) => kind === "ConfigMap"),
    others: objects.filter(({ kind }) => kind === ""),
    faults,
  };
}

/** The faults of a template are not where its YAML breaks: the first line that is an action counts. */
export function faultsOf(text: string, faults: readonly YamlFault[]): readonly YamlFault[] {
  if (faults.length === 0) return [];
  const at = text.split("\n").findIndex((line) => /^\s*(- )?([-\w./]+:\s+)?\{\{/.test(line));
  return at < 0 ? faults : [{ line: at + 1, message: "it is a template" }];
}

function objectsOf(file: string, node: Node): KubeObject[] {
  const kind = textOf(child(node, "kind")) ?? "";
  if (kind.endsWith("List")) {
    return items(child(node, "items")).flatMap((item) => objectsOf(file, item));
  }
  const metadata = child(node, "metadata");
  const named = (field: string) => textOf(child(metadata, field)) ?? "";
  return [{ file, kind, name: named("name"), namespace: named("namespace"), node }];
}

function podSpec({ kind, node }: KubeObject): Node | undefined {
  const spec = child(node, "spec");
  if (kind === "Pod") return spec;
  return kind === "CronJob"
    ? at(spec, "jobTemplate", "spec", "template", "spec")
    : at(spec, "template", "spec");
}

/** A container with its turn to be stopped. */
interface Container {
  readonly node: Node;
  readonly stop: StopTurn;
}

/** Containers that run as long as the pod: the ordinary ones, then native sidecars. */
function longContainers(spec: Node): Container[] {
  const native = items(child(spec, "initContainers"))
    .filter((each) => textOf(child(each, "restartPolicy")) === "Always");
  return [
    ...items(child(spec, "containers")).map((node) => ({ node, stop: 0 })),
    ...native.map((node, at) => ({ node, stop: native.length - at })),
  ];
}

function routerPods(object: KubeObject): RouterPod[] {
  const spec = podSpec(object);
  if (spec === undefined) return [];
  const all = longContainers(spec);
  const beside = all.filter(({ node }) => !isRouter(node));
  const envoy = beside.find(({ node }) => isEnvoy(node)) ??
    beside.find(({ node }) => mayBeEnvoy(node));
  return all.filter(({ node }) => isRouter(node)).map(({ node: router, stop }) => ({
    workload: `${object.kind}/${object.name}`,
    file: object.file,
    namespace: object.namespace,
    spec,
    router,
    stop,
    ...(envoy === undefined
      ? {}
      : { envoy: { container: envoy.node, native: envoy.stop > 0, stop: envoy.stop } }),
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

const PROGRAM = "atenet-router";
const OTHER_COMMANDS = new Set(["validate", "envoy", "status", "completion"]);

/** Runs it `atenet-router serve`? By what it runs, by its image, or by its name. */
function isRouter(container: Node): boolean {
  const words = containerWords(container).map((word) => textOf(word) ?? "");
  const program = words.findIndex((word) => baseName(word) === PROGRAM);
  const command = words.slice(program + 1)
    .find((word) => !word.startsWith("-") && !word.includes("/"));
  if (command !== undefined && OTHER_COMMANDS.has(command)) return false;
  const image = imageName(container);
  return program >= 0 || textOf(child(container, "name")) === PROGRAM || image === PROGRAM ||
    image.startsWith(`${PROGRAM}-`) || isStartedByShell(words);
}

/** A shell's script that names the router and what it is to do. */
function isStartedByShell([shell = "", ...words]: readonly string[]): boolean {
  return isShell(shell) && words.some((word) => /\batenet-router\s+serve\b/.test(word));
}

export function isShell(word: string): boolean {
  return /(^|\/)(ba|da|a|z)?sh$/.test(word);
}

function imageName(container: Node): string {
  return baseName(textOf(child(container, "image")) ?? "");
}

/** Is it Envoy? By what it runs, by its image, or by its name. */
function isEnvoy(container: Node): boolean {
  const [first] = containerWords(container).map((word) => textOf(word) ?? "");
  return imageName(container).startsWith("envoy") || baseName(first ?? "") === "envoy" ||
    textOf(child(container, "name")) === "envoy";
}

/** An image somebody built around it, like `acme-envoy`, where nothing else is Envoy. */
function mayBeEnvoy(container: Node): boolean {
  return /[-_.]envoy/.test(imageName(container));
}

/** The ConfigMap that a pod means by a name: one of its own namespace, as far as that is written. */
export function configMapOf(
  pod: RouterPod,
  configMaps: readonly KubeObject[],
  name: string | undefined,
): KubeObject | undefined {
  const named = configMaps.filter((object) => object.name === name);
  const open = (object: KubeObject) => object.namespace === "" || pod.namespace === "";
  return named.find(({ namespace }) => namespace === pod.namespace) ?? named.find(open);
}

/** The place of a node in a pod's file. */
export function placeIn(pod: RouterPod, node: Node): Place {
  return { file: pod.file, line: node.line };
}
