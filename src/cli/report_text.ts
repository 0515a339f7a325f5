// Problems and notices as text for people: what is wrong, why it matters, what to do.
import type { Notice } from "../check/checking.ts";
import type { Derived } from "../check/derived.ts";
import { formatDuration } from "../check/duration.ts";
import type { Problem } from "../check/settings.ts";
import type { Findings } from "./findings.ts";
import { harmless } from "./harmless.ts";
import { graceSeconds, spellSum } from "../check/shutdown_sum.ts";

const INDENT = " ".repeat(7);
const WIDTH = 100;

/** The word in front of a message. */
const LABELS = { error: "error", warning: "warn", note: "note" } as const;
const COLOURS = { error: 31, warning: 33, note: 36 } as const;

/** Colours only where somebody looks, and only when nobody asked for none. */
export function wantsColour(
  isTerminal: boolean,
  env: (name: string) => string | undefined,
): boolean {
  return isTerminal && !env("NO_COLOR") && env("TERM") !== "dumb";
}

function label(kind: keyof typeof LABELS, colour: boolean): string {
  const word = LABELS[kind].padEnd(INDENT.length);
  return colour ? `\u001b[${COLOURS[kind]}m${word}\u001b[0m` : word;
}

/** `router.yaml:3 --x=5 is below …`, or `--x=5 (command line) is below …` without a place. */
export function headline(problem: Problem): string {
  const { place } = problem;
  return place === undefined
    ? statement(problem)
    : `${harmless(place.file)}:${place.line} ${statement(problem)}`;
}

/** The headline without its place, for reports that carry places by themselves. */
export function statement(problem: Problem): string {
  const { flag, value } = problem;
  const subject = value === undefined ? flag : `${flag}=${value}`;
  return harmless(`${subject}${sourceLabel(problem)} ${problem.rule}`);
}

function sourceLabel({ value, source, variable, place }: Problem): string {
  if (value === undefined || source === undefined) return "";
  if (place !== undefined && source !== "default") return "";
  return variable === undefined ? ` (${source})` : ` (${source} ${variable})`;
}

/** Why it matters and what to do, as sentences. */
export function sentences({ reason, fix }: Problem): string[] {
  return [reason, fix].filter((text) => text !== "")
    .map((text) => harmless(/[.?!]$/.test(text) ? text : `${text}.`));
}

/** Lines of one problem, each ended. */
export function problemText(problem: Problem, colour = false): string {
  const all = sentences(problem);
  const together = INDENT + all.join(" ");
  const below = together.length <= WIDTH ? [together] : all.map((text) => INDENT + text);
  return [label(problem.severity, colour) + headline(problem), ...below].join("\n") + "\n";
}

/** One line of a notice, ended. */
export function noticeText(notice: Notice, colour = false): string {
  return `${label(notice.level === "warn" ? "warning" : "note", colour)}${harmless(notice.text)}\n`;
}

/** `2 errors, 1 warning`. */
export function countText(problems: readonly Problem[]): string {
  const errors = problems.filter(({ severity }) => severity === "error").length;
  return `${plural(errors, "error")}, ${plural(problems.length - errors, "warning")}`;
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}

/** The whole report of `validate`. */
export function reportText({ problems, subjects }: Findings, colour: boolean): string {
  const refused = problems.some(({ severity }) => severity === "error");
  const unread = problems.some(({ id }) => id === "bad-value" || id === "flag-without-value");
  const notices = subjects.flatMap(({ report }) => report.notices);
  const [count, gap] = [countText(problems), "       "];
  const derived = subjects.map(({ name, report }) => {
    const named = subjects.length > 1 ? `${harmless(name)} ` : "";
    return named + derivedText(report.derived, refused);
  });
  return [
    ...problems.map((problem) => problemText(problem, colour)),
    unread ? `${INDENT}Values that could not be read are checked as their defaults.\n` : "",
    ...notices.map((notice) => noticeText(notice, colour)),
    derived.length === 1 ? `${count}${gap}${derived[0]}` : `${count}\n${derived.join("")}`,
  ].join("");
}

/** The derived values in two lines: what Envoy and the pod must be given. */
function derivedText(derived: Derived, anyRefused: boolean): string {
  const { breaker, messageTimeoutMs, drainTimeoutMs, shutdown } = derived;
  const values = [
    `breaker ${breaker}`,
    `message_timeout ${formatDuration(messageTimeoutMs)}`,
    `drain-timeout ${formatDuration(drainTimeoutMs)}`,
    `shutdown ${formatDuration(shutdown.totalMs)}`,
  ].join(" · ");
  const where = anyRefused ? "derived where refused or 0" : "derived";
  const grace = `fits terminationGracePeriodSeconds ${graceSeconds(shutdown)}`;
  return `${where}: ${values}\nshutdown: ${spellSum(shutdown)}, ${grace}\n`;
}
