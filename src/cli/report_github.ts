// The report of `validate` as annotations of a GitHub workflow: one line per problem.
import type { Problem } from "../check/settings.ts";
import { countText, sentences, statement } from "./report_text.ts";
import type { Findings } from "./findings.ts";
import { harmless } from "./harmless.ts";

/** `::error file=…,line=…,title=…::…` lines, then the count. */
export function githubReport({ problems }: Findings): string {
  return [...problems.map(annotation), countText(problems), ""].join("\n");
}

function annotation(problem: Problem): string {
  const { severity, place, id } = problem;
  const at = place === undefined ? [] : [`file=${property(place.file)}`, `line=${place.line}`];
  const properties = [...at, `title=${property(`atenet-router ${id}`)}`].join(",");
  const message = [`${statement(problem)}.`, ...sentences(problem)].join("\n");
  return `::${severity} ${properties}::${data(message)}`;
}

function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return data(harmless(text)).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
