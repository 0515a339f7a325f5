// What `validate` has to say: one subject per configuration of a router (the flags, or each pod of
// the manifests), with everything that stands around it.
import { checkEnvoyConfig } from "../check/envoy_config.ts";
import { checkFlags, type FlagReport } from "../check/flags.ts";
import { type Manifests, placeIn, readManifests, type RouterPod } from "../check/manifest.ts";
import { envoysOf } from "../check/manifest_envoys.ts";
import { mountedFile } from "../check/manifest_files.ts";
import { shapeProblems } from "../check/manifest_shape.ts";
import { containerText } from "../check/manifest_words.ts";
import { checkPod } from "../check/pod_rules.ts";
import type { Problem } from "../check/settings.ts";
import { knownProblems } from "../check/unknown.ts";
import type { Invocation } from "./command.ts";
import type { Findings } from "./findings.ts";
import { configFile, readSettings } from "./invocation.ts";
import type { CliIo } from "./io.ts";
import { type OwnWords, podSettings } from "./pod_settings.ts";
import { faultProblems, readSources, type Sources } from "./validate_sources.ts";

/** Reads and checks everything the words of a call name. */
export async function findProblems(invocation: Invocation, io: CliIo): Promise<Findings> {
  const sources = await readSources(invocation, io);
  const asked = (invocation.options.get("manifest") ?? []).length > 0;
  const found = asked
    ? await checkManifests(invocation, sources, io)
    : await checkOwnFlags(invocation, sources, io);
  return { ...found, problems: distinct(found.problems) };
}

async function checkOwnFlags(
  invocation: Invocation,
  sources: Sources,
  io: CliIo,
): Promise<Findings> {
  const { sourced, problems, unknown } = await readSettings(invocation, io);
  const report = checkFlags(sourced);
  const found = [...report.problems, ...envoyProblems(sources, report)];
  return {
    subjects: [{ name: "flags", report }],
    problems: [...problems, ...sources.problems, ...knownProblems(found, unknown)],
  };
}

function envoyProblems({ envoys }: Pick<Sources, "envoys">, report: FlagReport): Problem[] {
  const expectation = { settings: report.effective.values, derived: report.derived };
  return envoys.flatMap(({ file, root }) =>
    checkEnvoyConfig(root, { file, lineOffset: 0 }, expectation)
  );
}

async function checkManifests(
  invocation: Invocation,
  sources: Sources,
  io: CliIo,
): Promise<Findings> {
  // The environment of validate is not the container's.
  const config = await configFile(invocation, {
    env: () => undefined,
    readTextFile: (path) => io.readTextFile(path),
  });
  const own = { commandLine: invocation.commandLine, config };
  const manifests = readManifests(sources.manifests);
  const problems: Problem[] = [...invocation.problems, ...sources.problems];
  for (const { file, ...fault } of manifests.faults) {
    problems.push(...faultProblems("--manifest", file, [fault]));
  }
  if (manifests.pods.length === 0 && problems.length === 0) problems.push(noRouter(sources));
  problems.push(...config.problems);
  const subjects = manifests.pods.map((pod) => {
    const checked = checkOnePod(pod, manifests, own, sources);
    problems.push(...checked.problems);
    return { name: pod.workload, report: checked.report };
  });
  return { subjects, problems };
}

function checkOnePod(
  pod: RouterPod,
  manifests: Manifests,
  own: OwnWords,
  sources: Sources,
): { readonly report: FlagReport; readonly problems: readonly Problem[] } {
  const container = containerText(pod, manifests.configMaps);
  const findMounted = (path: string) => mountedFile(pod, manifests.configMaps, path);
  const { sourced, problems, unknown } = podSettings(container, findMounted, own);
  const report = checkFlags(sourced);
  const { effective: { values: settings }, derived, drainNote } = report;
  const expectation = { settings, derived, ...(drainNote === undefined ? {} : { drainNote }) };
  const { envoys, faults } = envoysOf(pod, manifests);
  const given = [...envoys, ...sources.envoys];
  const unseen = given.length + faults.length === 0;
  const found = [
    ...report.problems.map((problem) => placed(problem, pod)),
    ...checkPod(pod, { ...expectation, envoys: given.map(({ root }) => root) }),
    ...envoys.flatMap(({ root, ...origin }) => checkEnvoyConfig(root, origin, expectation)),
    ...envoyProblems(sources, report),
  ];
  return {
    report,
    problems: [
      ...shapeProblems(pod),
      ...problems,
      ...faults.flatMap(({ file, ...fault }) =>
        faultProblems("Envoy configuration", file, [fault])
      ),
      ...knownProblems(found, unknown),
      ...(unseen && pod.envoy !== undefined ? [unseenEnvoy(pod)] : []),
    ],
  };
}

/** A default stands nowhere: what is wrong with it is told at the container that leaves it out. */
function placed(problem: Problem, pod: RouterPod): Problem {
  if (problem.place !== undefined || problem.source !== "default") return problem;
  return { ...problem, place: placeIn(pod, pod.router) };
}

function noRouter({ manifests }: Sources): Problem {
  return {
    kind: "usage",
    id: "manifest-no-router",
    severity: "error",
    flag: "--manifest",
    value: manifests.map(({ file }) => file).join(" "),
    source: "command line",
    rule: "holds no container that runs atenet-router serve",
    reason: "It is found by its command, its image or its name, atenet-router",
    fix: "Give the file with the pod, or correct its names",
  };
}

function unseenEnvoy(pod: RouterPod): Problem {
  return {
    kind: "rule",
    id: "not-checked",
    severity: "warning",
    flag: "Envoy's configuration",
    ...(pod.envoy === undefined
      ? {}
      : { place: { file: pod.file, line: pod.envoy.container.line } }),
    rule: "is not checked",
    reason: "It was not found in the files given",
    fix: "Give its ConfigMap as a manifest, or --envoy-config",
  };
}

/** Several pods may share one Envoy configuration. */
function distinct(problems: readonly Problem[]): Problem[] {
  return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()];
}
