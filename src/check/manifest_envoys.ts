// Which Envoy configurations a pod is held against: those its own Envoy carries, in its words or in
// ConfigMaps that are mounted. Place in the flow: between the manifests and envoy_config.ts.
import { mayAsk } from "./envoy_config.ts";
import { isEnvoyConfig } from "./envoy_model.ts";
import { containerWords, faultsOf, type Manifests, type RouterPod } from "./manifest.ts";
import {
  embedded,
  type EmbeddedFile,
  filesOf,
  mountedFiles,
  volumeFiles,
} from "./manifest_files.ts";
import { textOf } from "./tree.ts";
import { type Node, parseYaml, type YamlFault } from "./yaml.ts";

/** An Envoy configuration inside a manifest. */
export interface EmbeddedEnvoy {
  readonly file: string;
  readonly root: Node;
  readonly lineOffset: number;
}

/** What was found for a pod. */
export interface PodEnvoys {
  readonly envoys: readonly EmbeddedEnvoy[];
  /** Syntax errors of what is meant for Envoy; the lines are those of the manifest. */
  readonly faults: readonly (YamlFault & { readonly file: string })[];
}

/**
 * The configurations of a pod's Envoy: `--config-yaml` and the file that `-c` names, else what is
 * mounted, else what the pod's volumes hold. Where none of that is in the files, a file that was
 * given along may be it (Kustomize makes ConfigMaps of files), or any ConfigMap that asks a router.
 */
export function envoysOf(pod: RouterPod, manifests: Manifests): PodEnvoys {
  const { configMaps } = manifests;
  const container = pod.envoy?.container;
  const words = container === undefined ? [] : containerWords(container);
  const mounted = container === undefined ? [] : mountedFiles(pod, configMaps, container);
  const path = textOf(wordOf(words, "-c") ?? wordOf(words, "--config-path"));
  const named = mounted.find((file) => file.path === path);
  const inline = wordOf(words, "--config-yaml");
  const own = joined(
    [inline === undefined ? undefined : embedded(pod.file, inline), named]
      .filter((file) => file !== undefined).map((file) => understood(file, true)),
  );
  if (isAny(own)) return own;
  const seen = joined(mounted.map((file) => understood(file, false)));
  if (isAny(seen)) return seen;
  const near = joined(volumeFiles(pod, configMaps).map((file) => understood(file, false)));
  return isAny(near) ? near : unlinked(pod, manifests);
}

/** What may be the pod's although nothing says so. */
function unlinked(pod: RouterPod, { configMaps, pods, others }: Manifests): PodEnvoys {
  const neighbours = pods.filter(({ spec }) => spec !== pod.spec);
  const taken = new Set(
    neighbours.flatMap((each) => volumeFiles(each, configMaps)).map(({ map }) => map),
  );
  const { envoys, faults } = joined(
    configMaps.filter((map) => !taken.has(map)).flatMap(filesOf)
      .map((file) => understood(file, false)),
  );
  const plain = others.map(({ file, node }) => ({ file, root: node, lineOffset: 0 }))
    .filter(({ root }) => isEnvoyConfig(root));
  const asking = [...envoys, ...plain].filter(({ root }) => mayAsk(root));
  return { envoys: asking.length > 0 ? asking : plain, faults };
}

/** @param sure whether the text is Envoy's configuration whatever it looks like. */
function understood({ file, text, lineOffset }: EmbeddedFile, sure: boolean): PodEnvoys {
  const { documents: [root], faults } = parseYaml(text);
  if (root !== undefined && isEnvoyConfig(root)) {
    return { envoys: [{ file, root, lineOffset }], faults: [] };
  }
  const told = sure || looksMeant(text) ? faultsOf(text, faults) : [];
  return {
    envoys: [],
    faults: told.map(({ line, message }) => ({ line: line + lineOffset, message, file })),
  };
}

/** Does a text that is no YAML look like an Envoy configuration? */
function looksMeant(text: string): boolean {
  return /(^|[{,])\s*["']?(static|dynamic)(_r|R)esources["']?\s*:/m.test(text);
}

function joined(all: readonly PodEnvoys[]): PodEnvoys {
  return {
    envoys: all.flatMap(({ envoys }) => envoys),
    faults: all.flatMap(({ faults }) => faults),
  };
}

function isAny({ envoys, faults }: PodEnvoys): boolean {
  return envoys.length + faults.length > 0;
}

/** What stands behind a flag of Envoy, in the next word or in its own. */
function wordOf(words: readonly Node[], flag: string): Node | undefined {
  const at = words.findIndex((word) => textOf(word) === flag);
  if (at >= 0) return words[at + 1];
  const own = words.find((word) => textOf(word)?.startsWith(`${flag}=`));
  if (own?.kind !== "scalar") return undefined;
  const text = (textOf(own) ?? "").slice(flag.length + 1);
  return { ...own, text, value: text };
}
