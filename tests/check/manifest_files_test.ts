// Files of ConfigMaps as the router's container sees them.
import { assertEquals } from "@std/assert";
import { mountedFile } from "../../src/check/manifest_files.ts";
import { containerText } from "../../src/check/manifest_words.ts";
import type { Loose } from "./envoy_fixture.ts";
import { changed, type PodChange, read } from "./manifest_fixture.ts";

const MAP = "kind: ConfigMap\nmetadata: {name: settings}\n" +
  "data:\n  router.yaml: |\n    parked-request-max: 7\n";
const FOLDER = { name: "settings", mountPath: "/etc/atenet" };
const FILE = "/etc/atenet/router.yaml";

type Row = readonly [what: string, mounts: Loose[], path: string, found: boolean];

/** Looks for files in a pod with these volumes. */
function check(volume: Loose, rows: readonly Row[]): void {
  for (const [what, mounts, path, found] of rows) {
    const change: PodChange = ({ spec, router }) => {
      spec.volumes = [{ name: "other", emptyDir: {} }, { name: "settings", ...volume }];
      router.volumeMounts = mounts;
    };
    const manifests = read(changed(change), MAP);
    const file = mountedFile(manifests.pods[0]!, manifests.configMaps, path);
    assertEquals(file?.text, found ? "parked-request-max: 7\n" : undefined, what);
    if (found) assertEquals([file?.file, file?.lineOffset], ["1.yaml", 4]);
  }
}

Deno.test("a config file is found where its ConfigMap is mounted", () => {
  check({ configMap: { name: "settings" } }, [
    ["a folder", [FOLDER], FILE, true],
    ["with a slash", [{ ...FOLDER, mountPath: "/etc/atenet/" }], FILE, true],
    ["the root", [{ ...FOLDER, mountPath: "/" }], "/router.yaml", true],
    [
      "one file",
      [{ name: "settings", mountPath: "/r.yaml", subPath: "router.yaml" }],
      "/r.yaml",
      true,
    ],
    ["another file", [{ name: "settings", mountPath: "/r.yaml", subPath: "x" }], "/r.yaml", false],
    ["another volume", [{ ...FOLDER, name: "other" }], FILE, false],
    ["another key", [FOLDER], "/etc/atenet/other.yaml", false],
    ["elsewhere", [{ ...FOLDER, mountPath: "/etc" }], "/opt/router.yaml", false],
    ["behind another mount", [{ name: "other", mountPath: "/etc" }, FOLDER], FILE, true],
    ["mounted nowhere", [{ name: "settings" }, 5], "/router.yaml", false],
    ["no mounts", [], FILE, false],
  ]);
});

Deno.test("a ConfigMap whose keys get paths of their own is found at those", () => {
  const items = [{ key: "router.yaml", path: "conf/r.yaml" }, { key: "nope", path: "n" }, 5];
  check({ configMap: { name: "settings", items } }, [
    ["its path", [FOLDER], "/etc/atenet/conf/r.yaml", true],
    ["its key", [FOLDER], FILE, false],
    ["a key that is not there", [FOLDER], "/etc/atenet/n", false],
    ["a folder of it", [{ ...FOLDER, subPath: "conf/" }], "/etc/atenet/r.yaml", true],
    ["a file of it", [{ ...FOLDER, mountPath: "/r", subPath: "./conf/r.yaml" }], "/r", true],
    ["half a name", [{ ...FOLDER, subPath: "con" }], "/etc/atenetf/r.yaml", false],
  ]);
  check({ configMap: { name: "settings", items: [] } }, [["none", [FOLDER], FILE, false]]);
});

Deno.test("a ConfigMap in a projected volume is found, with its paths", () => {
  const secret = { secret: { name: "settings" } };
  check({ projected: { sources: [secret, { configMap: { name: "settings" } }] } }, [
    ["its key", [FOLDER], FILE, true],
  ]);
  const items = [{ key: "router.yaml", path: "r.yaml" }];
  check({ projected: { sources: [{ configMap: { name: "settings", items } }] } }, [
    ["its path", [FOLDER], "/etc/atenet/r.yaml", true],
    ["its key", [FOLDER], FILE, false],
  ]);
  check({ projected: { sources: [secret] } }, [["a Secret", [FOLDER], FILE, false]]);
});

Deno.test("of ConfigMaps with one name the one of the pod's namespace counts", () => {
  const map = (namespace: string, delay: string) =>
    `kind: ConfigMap\nmetadata: {name: s${namespace && `, namespace: ${namespace}`}}\n` +
    `data: {ATENET_DRAIN_DELAY: ${delay}}\n`;
  const rows: readonly [pod: string, maps: string[], delay: string | undefined][] = [
    ["a", [map("b", "2s"), map("a", "1s")], "1s"],
    ["a", [map("b", "2s")], undefined],
    ["a", [map("", "3s"), map("a", "1s")], "1s"],
    ["a", [map("", "3s")], "3s"],
    ["", [map("b", "2s")], "2s"],
    ["", [map("b", "2s"), map("", "3s")], "3s"],
  ];
  for (const [namespace, maps, delay] of rows) {
    const change: PodChange = ({ root, router }) => {
      if (namespace !== "") root.metadata.namespace = namespace;
      router.envFrom = [{ configMapRef: { name: "s" } }];
    };
    const { pods, configMaps } = read(changed(change), ...maps);
    const { variables } = containerText(pods[0]!, configMaps);
    assertEquals(variables.get("ATENET_DRAIN_DELAY")?.text, delay, `${namespace} ${maps}`);
  }
});
