// Rules for the pod around the router: its grace period holds the whole shutdown, and its Envoy
// outlives the drain.
import type { Derived } from "./derived.ts";
import { formatDuration } from "./duration.ts";
import { containerWords, isShell, type RouterPod } from "./manifest.ts";
import { hasUnreadWords } from "./manifest_shape.ts";
import { isOpen } from "./open_text.ts";
import { PodFindings } from "./pod_findings.ts";
import { checkPreStop, sleepMsOf } from "./prestop_rules.ts";
import { checkProbes } from "./probe_rules.ts";
import type { Problem, Settings } from "./settings.ts";
import { spellSum } from "./shutdown_sum.ts";
import { checkEnvoyStartup } from "./startup_rules.ts";
import { at, child, numberOf, textOf } from "./tree.ts";
import type { Node } from "./yaml.ts";

/** Kubernetes' default of terminationGracePeriodSeconds. */
const GRACE_DEFAULT_S = 30;

/** What a pod is held against. */
export interface PodExpectation {
  /** Effective values. */
  readonly settings: Settings;
  readonly derived: Derived;
  /** A refused --drain-timeout: what the sum says about its part. */
  readonly drainNote?: string;
  /** Configurations of the pod's Envoy, as far as they were given. */
  readonly envoys?: readonly Node[];
}

/** Problems of one pod. */
export function checkPod(pod: RouterPod, expectation: PodExpectation): readonly Problem[] {
  const findings = new PodFindings(pod, expectation.settings, expectation.derived);
  checkCommand(findings);
  checkGrace(findings, expectation.drainNote);
  checkProbes(findings);
  checkEnvoyReach(findings);
  checkPreStop(findings);
  checkEnvoyStartup(findings, expectation.envoys ?? []);
  checkDrainTime(findings);
  return findings.problems;
}

/** The program's own command is a word of its own, unless the image brings it. */
function checkCommand(findings: PodFindings): void {
  const { router } = findings.pod;
  const words = containerWords(router).map((word) => textOf(word) ?? "");
  const said = words.some((word) => word === "serve" || isOpen(word));
  if (said || isShell(words[0] ?? "") || hasUnreadWords(findings.pod)) return;
  findings.complain(child(router, "args") ?? child(router, "command") ?? router, {
    id: "manifest-no-command",
    severity: "warning",
    what: "args",
    rule: "does not say serve",
    reason: "Unless the entry point of the image does, the program prints its help and ends",
    fix: "Write serve in front of the flags",
  });
}

function checkGrace(findings: PodFindings, drainNote: string | undefined): void {
  const { pod, derived: { shutdown } } = findings;
  const field = child(pod.spec, "terminationGracePeriodSeconds");
  if (findings.isOpen("terminationGracePeriodSeconds", field)) return;
  const graceMs = (numberOf(field) ?? GRACE_DEFAULT_S) * 1_000;
  const preStop = at(pod.router, "lifecycle", "preStop");
  const sleepMs = preStop === undefined ? 0 : sleepMsOf(preStop) ?? 0;
  const totalMs = shutdown.totalMs + sleepMs;
  if (totalMs <= graceMs) return;
  const first = sleepMs === 0 ? "" : `${formatDuration(sleepMs)} preStop + `;
  findings.complain(field ?? pod.spec, {
    id: "grace-below-shutdown",
    what: "terminationGracePeriodSeconds",
    value: textOf(field),
    rule: field === undefined
      ? `is not set, so it is ${GRACE_DEFAULT_S}, below the shutdown sequence of ` +
        formatDuration(totalMs)
      : `is below the shutdown sequence of ${formatDuration(totalMs)}`,
    reason: first + spellSum({ ...shutdown, totalMs }, drainNote),
    fix: `Raise it to ${Math.ceil(totalMs / 10_000) * 10} or shorten the budget`,
  });
}

/** An Envoy in another pod cannot reach a loopback address. */
function checkEnvoyReach(findings: PodFindings): void {
  const { pod, settings } = findings;
  const local = settings.extprocAddress.startsWith("127.") || settings.extprocAddress === "::1";
  if (pod.envoy !== undefined || !local) return;
  findings.complain(child(pod.spec, "containers") ?? pod.spec, {
    id: "envoy-not-in-pod",
    severity: "warning",
    what: "Envoy",
    rule: `is not in the pod, and --extproc-address=${settings.extprocAddress} is its loopback`,
    reason: "An Envoy elsewhere cannot ask the router",
    fix: "Add the sidecar, or set --extproc-address to an address that Envoy reaches",
  });
}

/** A changed listener closes its old connections after --drain-time-s, parked or not. */
function checkDrainTime(findings: PodFindings): void {
  const { envoy } = findings.pod;
  if (envoy === undefined) return;
  const words = containerWords(envoy.container);
  const at = words.findIndex((word) => /^--drain-time-s(=|$)/.test(textOf(word) ?? ""));
  const found = words[at];
  if (found === undefined) return;
  const text = textOf(found)?.split("=")[1] ?? textOf(words[at + 1]);
  const neededMs = findings.derived.messageTimeoutMs + findings.settings.routeTimeoutMs;
  if (text === undefined || Number(text) * 1_000 >= neededMs) return;
  findings.complain(found, {
    id: "envoy-drain-time",
    severity: "warning",
    what: "Envoy --drain-time-s",
    value: text,
    rule: `is below message_timeout + --route-timeout = ${formatDuration(neededMs)}`,
    reason: "A change of a listener would cut longer requests without an answer",
    fix: `Set ${Math.ceil(neededMs / 1_000)} or more, or leave it out (600)`,
  });
}
