// Problems with words: how a value that cannot be read is reported, wherever it came from.
import type { Origin, Problem, Source } from "../../check/settings.ts";
import type { Flag } from "./spec.ts";

/** A text for a flag, with where it came from. */
export interface Given extends Origin {
  readonly source: Source;
}

/** The problem of a text that is no value of its flag. */
export function badValue(flag: Flag, given: Given, why: string, fix: string): Problem {
  return {
    kind: "usage",
    id: given.text === "" ? "flag-without-value" : "bad-value",
    severity: "error",
    flag: `--${flag.name}`,
    value: given.text,
    source: given.source,
    ...(given.variable === undefined ? {} : { variable: given.variable }),
    ...(given.place === undefined ? {} : { place: given.place }),
    rule: why,
    reason: reasonFor(flag, given),
    fix,
  };
}

/** What values of the form are for, and the usual accident behind a wrong one. */
function reasonFor(flag: Flag, given: Given): string {
  if (given.variable !== undefined && /^(tcp|udp|sctp):\/\//.test(given.text)) {
    return "Kubernetes sets such a variable for a service of that name (enableServiceLinks)";
  }
  return flag.form.kind === "choice" ? "" : sentence(flag);
}

/** The help line as the start of a sentence; a word that is a value keeps its spelling. */
export function sentence({ help, form }: Flag): string {
  const [first = ""] = help.split(/[^A-Za-z]/);
  const isValue = form.kind === "choice" && form.values.includes(first);
  return isValue || !/^[a-z]+$/.test(first) ? help : help.charAt(0).toUpperCase() + help.slice(1);
}

/** A problem with a whole file that carries words. `named`: how the file was named. */
export function fileProblem(flag: string, named: Given, rule: string, fix: string): Problem {
  return {
    kind: "usage",
    id: "unreadable-file",
    severity: "error",
    flag,
    value: named.text,
    source: named.source,
    ...(named.variable === undefined ? {} : { variable: named.variable }),
    rule,
    reason: "Nothing of it can be taken into account",
    fix,
  };
}

/** Why a file cannot be read, in one phrase without paths or codes. */
export function whyUnreadable(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const known: Readonly<Record<string, string>> = {
    NotFound: "there is no such file",
    PermissionDenied: "permission denied",
    NotCapable: "permission denied",
    IsADirectory: "it is a folder",
    InvalidData: "it is not UTF-8 text",
    ConnectionRefused: "connection refused",
  };
  return known[error.name] ?? error.message.split(/ \(os error|: readfile/)[0] ?? error.name;
}
