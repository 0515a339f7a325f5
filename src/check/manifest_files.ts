// Files that a manifest carries inside: Envoy configurations and the router's config file, in
// ConfigMaps or in a container's words.
import { isEnvoyConfig } from "./envoy_model.ts";
import { containerWords, type KubeObject, type Manifests, type RouterPod } from "./manifest.ts";
import { at, child, items, textOf } from "./tree.ts";
import { type Node, parseYaml } from "./yaml.ts";

/** A file inside a manifest. */
export interface EmbeddedFile {
  readonly file: string;
  readonly text: string;
  /** Added to a line of `text` to get the line of the manifest. */
  readonly lineOffset: number;
}

/** An Envoy configuration inside a manifest. */
export interface EmbeddedEnvoy {
  readonly file: string;
  readonly root: Node;
  readonly lineOffset: number;
}

/**
 * Every Envoy configuration of the manifests: in ConfigMaps, as `--config-yaml` of an Envoy, or as a
 * file among them (which Kustomize makes a ConfigMap of).
 */
export function embeddedEnvoys({ configMaps, pods, others }: Manifests): EmbeddedEnvoy[] {
  const inMaps = configMaps.flatMap(({ file, node }) => {
    const data = child(node, "data");
    return data?.kind === "map"
      ? [...data.entries.values()].map(({ value }) => embedded(file, value))
      : [];
  });
  const inWords = pods.flatMap(({ file, envoy }) => {
    const inline = envoy === undefined ? undefined : configYaml(containerWords(envoy.container));
    return inline === undefined ? [] : [embedded(file, inline)];
  });
  const carried = [...inMaps, ...inWords].flatMap(({ file, text, lineOffset }) => {
    const [root] = parseYaml(text).documents;
    return root === undefined ? [] : [{ file, root, lineOffset }];
  });
  const plain = others.map(({ file, node }) => ({ file, root: node, lineOffset: 0 }));
  return [...carried, ...plain].filter(({ root }) => isEnvoyConfig(root));
}

/** A literal block keeps its lines; any other scalar has one line for all of it. */
function embedded(file: string, node: Node): EmbeddedFile {
  const literal = node.kind === "scalar" && node.literal === true;
  return { file, text: textOf(node) ?? "", lineOffset: literal ? node.line : node.line - 1 };
}

function configYaml(words: readonly Node[]): Node | undefined {
  const at = words.findIndex((word) => textOf(word) === "--config-yaml");
  if (at >= 0) return words[at + 1];
  const joined = words.find((word) => textOf(word)?.startsWith("--config-yaml="));
  if (joined?.kind !== "scalar") return undefined;
  const text = (textOf(joined) ?? "").slice("--config-yaml=".length);
  return { ...joined, text, value: text };
}

/** The file at `path` of the router's container, when a ConfigMap of the manifests is mounted there. */
export function mountedFile(
  pod: RouterPod,
  configMaps: readonly KubeObject[],
  path: string,
): EmbeddedFile | undefined {
  for (const mount of items(child(pod.router, "volumeMounts"))) {
    const folder = (textOf(child(mount, "mountPath")) ?? "").replace(/\/$/, "");
    const subPath = textOf(child(mount, "subPath"));
    const key = subPath !== undefined && folder === path
      ? subPath
      : path.startsWith(`${folder}/`)
      ? path.slice(folder.length + 1)
      : undefined;
    const map = key === undefined ? undefined : mountedMap(pod, configMaps, mount);
    const value = child(child(map?.node, "data"), key ?? "");
    if (map !== undefined && value !== undefined) return embedded(map.file, value);
  }
  return undefined;
}

function mountedMap(
  pod: RouterPod,
  configMaps: readonly KubeObject[],
  mount: Node,
): KubeObject | undefined {
  const volume = items(child(pod.spec, "volumes"))
    .find((each) => textOf(child(each, "name")) === textOf(child(mount, "name")));
  const name = textOf(at(volume, "configMap", "name"));
  return configMaps.find((object) => object.name === name);
}
