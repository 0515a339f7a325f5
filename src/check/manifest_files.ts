// Files of ConfigMaps as a container of a pod sees them, through volumes and mounts. Place in the
// flow: behind manifest.ts; the router's config file and Envoy's configurations are found here.
import { configMapOf, type KubeObject, type RouterPod } from "./manifest.ts";
import { at, child, items, textOf } from "./tree.ts";
import type { Node } from "./yaml.ts";

/** A file inside a manifest. */
export interface EmbeddedFile {
  /** The manifest. */
  readonly file: string;
  readonly text: string;
  /** Added to a line of `text` to get the line of the manifest. */
  readonly lineOffset: number;
}

/** A file of a ConfigMap with its path: in a volume, or in a container that mounts it. */
export interface PlacedFile extends EmbeddedFile {
  readonly path: string;
  readonly map: KubeObject;
}

/** A literal block keeps its lines; any other scalar has one line for all of it. */
export function embedded(file: string, node: Node): EmbeddedFile {
  const literal = node.kind === "scalar" && node.literal === true;
  return { file, text: textOf(node) ?? "", lineOffset: literal ? node.line : node.line - 1 };
}

/** Every file of a ConfigMap, by its key. */
export function filesOf(map: KubeObject | undefined): PlacedFile[] {
  const data = child(map?.node, "data");
  if (map === undefined || data?.kind !== "map") return [];
  return [...data.entries]
    .map(([path, { value }]) => ({ ...embedded(map.file, value), path, map }));
}

/** The files of ConfigMaps that the volumes of a pod hold; paths start in the volume. */
export function volumeFiles(pod: RouterPod, configMaps: readonly KubeObject[]): PlacedFile[] {
  return items(child(pod.spec, "volumes"))
    .flatMap((volume) => filesOfVolume(pod, configMaps, volume));
}

function filesOfVolume(
  pod: RouterPod,
  configMaps: readonly KubeObject[],
  volume: Node | undefined,
): PlacedFile[] {
  const projected = items(at(volume, "projected", "sources"));
  const sources = [volume, ...projected].map((each) => child(each, "configMap"));
  return sources.filter((source) => source !== undefined).flatMap((source) => {
    const files = filesOf(configMapOf(pod, configMaps, textOf(child(source, "name"))));
    const picked = child(source, "items");
    return picked === undefined ? files : items(picked).flatMap((item) => {
      const path = textOf(child(item, "path")) ?? "";
      return files.filter((file) => file.path === textOf(child(item, "key")))
        .map((file) => ({ ...file, path }));
    });
  });
}

/** The files of ConfigMaps that a container sees; of two at one path the first is the one it sees. */
export function mountedFiles(
  pod: RouterPod,
  configMaps: readonly KubeObject[],
  container: Node,
): PlacedFile[] {
  const folderOf = (mount: Node) => textOf(child(mount, "mountPath"))?.replace(/\/$/, "");
  const mounts = [...items(child(container, "volumeMounts"))]
    .sort((a, b) => (folderOf(b)?.length ?? 0) - (folderOf(a)?.length ?? 0));
  return mounts.flatMap((mount) => {
    const folder = folderOf(mount);
    const volume = items(child(pod.spec, "volumes"))
      .find((each) => textOf(child(each, "name")) === textOf(child(mount, "name")));
    if (folder === undefined) return [];
    const part = textOf(child(mount, "subPath"))?.replace(/^\.\/|\/$/g, "") ?? "";
    return filesOfVolume(pod, configMaps, volume).flatMap((file) => {
      const rest = below(part, file.path);
      return rest === undefined ? [] : [{ ...file, path: folder + rest }];
    });
  });
}

/** `/b.yaml` for `a/b.yaml` below `a`, nothing more for `a` itself. */
function below(part: string, path: string): string | undefined {
  if (part === path) return "";
  if (part === "") return `/${path}`;
  return path.startsWith(`${part}/`) ? path.slice(part.length) : undefined;
}

/** The file at `path` of the router's container, when a ConfigMap of the manifests is mounted there. */
export function mountedFile(
  pod: RouterPod,
  configMaps: readonly KubeObject[],
  path: string,
): EmbeddedFile | undefined {
  return mountedFiles(pod, configMaps, pod.router).find((file) => file.path === path);
}
