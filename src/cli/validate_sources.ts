// What `validate` is pointed at: manifests, Envoy configurations, a live Envoy. Reads them; what
// cannot be read is a problem with words.
import type { ManifestFile } from "../check/manifest.ts";
import type { Problem } from "../check/settings.ts";
import { type Node, parseYaml, treeOf, type YamlFault } from "../check/yaml.ts";
import type { Invocation } from "./command.ts";
import { fileProblem, whyUnreadable } from "./flags/usage.ts";
import type { CliIo } from "./io.ts";

/** An Envoy configuration. Without a file it was read from a live Envoy. */
export interface EnvoySource {
  readonly file: string | undefined;
  readonly root: Node;
}

export interface Sources {
  readonly manifests: readonly ManifestFile[];
  readonly envoys: readonly EnvoySource[];
  readonly problems: readonly Problem[];
}

const LIVE_TIMEOUT_MS = 5_000;

/** Reads everything the flags of validate name. */
export async function readSources(
  { options }: Invocation,
  io: Pick<CliIo, "readTextFile" | "get">,
): Promise<Sources> {
  const problems: Problem[] = [];
  const named = (flag: string) => (options.get(flag) ?? []).map(String);
  const files = async (flag: string): Promise<ManifestFile[]> => {
    const read = await Promise.all(named(flag).map((file) => readOne(`--${flag}`, file, io)));
    problems.push(...read.filter((one) => "rule" in one));
    return read.filter((one) => "text" in one);
  };
  const manifests = await files("manifest");
  const envoys: EnvoySource[] = [];
  for (const { file, text } of await files("envoy-config")) {
    const { documents: [root], faults } = parseYaml(text);
    problems.push(...faultProblems("--envoy-config", file, faults));
    if (root !== undefined) envoys.push({ file, root });
    else if (faults.length === 0) {
      problems.push(unusable("--envoy-config", file, "is empty"));
    }
  }
  for (const url of named("envoy-admin")) {
    const live = await readLive(url, io);
    if ("root" in live) envoys.push(live);
    else problems.push(live);
  }
  return { manifests, envoys, problems };
}

async function readOne(
  flag: string,
  file: string,
  io: Pick<CliIo, "readTextFile">,
): Promise<ManifestFile | Problem> {
  try {
    return { file, text: await io.readTextFile(file) };
  } catch (error) {
    return unusable(flag, file, `cannot be read: ${whyUnreadable(error)}`);
  }
}

function unusable(flag: string, text: string, rule: string): Problem {
  const fix = flag === "--envoy-admin" ? "Name a running Envoy" : "Name a file that can be read";
  return fileProblem(flag, { text, source: "command line" }, rule, fix);
}

/** Syntax errors of a file, each at its line. */
export function faultProblems(
  flag: string,
  file: string,
  faults: readonly YamlFault[],
): Problem[] {
  return faults.map(({ line, message }) => ({
    kind: "usage",
    id: "bad-file",
    severity: "error",
    flag,
    place: { file, line },
    rule: `is not YAML: ${message}`,
    reason: "Nothing of it can be checked",
    fix: "Correct the line, or render the template first",
  }));
}

async function readLive(
  url: string,
  io: Pick<CliIo, "get">,
): Promise<EnvoySource | Problem> {
  try {
    const { status, body } = await io.get(new URL("/config_dump", url).href, LIVE_TIMEOUT_MS);
    if (status !== 200) return unusable("--envoy-admin", url, `cannot be read: it says ${status}`);
    return { file: undefined, root: treeOf(JSON.parse(body)) };
  } catch (error) {
    const why = error instanceof SyntaxError ? "it is no Envoy" : whyUnreadable(error);
    return unusable("--envoy-admin", url, `cannot be read: ${why}`);
  }
}
