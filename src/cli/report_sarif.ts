// The report of `validate` as SARIF 2.1.0, for code scanning.
import { type RuleId, RULES } from "../check/rules.ts";
import type { Problem } from "../check/settings.ts";
import { sentences, statement } from "./report_text.ts";
import type { Findings } from "./findings.ts";
import { harmlessJson } from "./harmless.ts";
import { VERSION } from "./version.ts";

/** The document, ended. Only rules that were broken are listed. */
export function sarifReport({ problems }: Findings, code: number): string {
  const ids = [...new Set(problems.map(({ id }) => id))].sort();
  const document = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [{
      tool: { driver: { name: "atenet-router", version: VERSION, rules: ids.map(ruleJson) } },
      invocations: [{ executionSuccessful: true, exitCode: code }],
      results: problems.map((problem) => resultJson(problem, ids)),
    }],
  };
  return harmlessJson(document);
}

function ruleJson(id: RuleId): Record<string, unknown> {
  return { id, shortDescription: { text: `${RULES[id]}.` } };
}

function resultJson(problem: Problem, ids: readonly RuleId[]): Record<string, unknown> {
  const { id, severity, place } = problem;
  const text = [`${statement(problem)}.`, ...sentences(problem)].join(" ");
  return {
    ruleId: id,
    ruleIndex: ids.indexOf(id),
    level: severity,
    message: { text },
    ...(place === undefined ? {} : {
      locations: [{
        physicalLocation: {
          artifactLocation: { uri: encodeURI(place.file) },
          region: { startLine: place.line },
        },
      }],
    }),
  };
}
