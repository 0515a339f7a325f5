// The report of `validate` as SARIF 2.1.0, for code scanning, which refuses a whole document for one
// result without a location: what stands in no file is placed at one that was looked at.
import { type RuleId, RULES } from "../check/rules.ts";
import type { Place, Problem } from "../check/settings.ts";
import { sentences, statement } from "./report_text.ts";
import type { Findings } from "./findings.ts";
import { harmlessJson } from "./harmless.ts";
import { VERSION } from "./version.ts";

/** Stands where no file was looked at. */
const NO_FILE = "atenet-router";
/** Problems with these are about the file that is their value. */
const FILE_FLAGS: readonly string[] = ["--manifest", "--envoy-config", "--config"];

/** The document, ended. Only rules that were broken are listed. */
export function sarifReport(findings: Findings, code: number): string {
  const { problems } = findings;
  const anyFile = firstFile(findings);
  const ids = [...new Set(problems.map(({ id }) => id))].sort();
  const document = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [{
      tool: { driver: { name: "atenet-router", version: VERSION, rules: ids.map(ruleJson) } },
      invocations: [{ executionSuccessful: true, exitCode: code }],
      results: problems.map((problem) => resultJson(problem, ids, anyFile)),
    }],
  };
  return harmlessJson(document);
}

function ruleJson(id: RuleId): Record<string, unknown> {
  return { id, shortDescription: { text: `${RULES[id]}.` } };
}

function resultJson(
  problem: Problem,
  ids: readonly RuleId[],
  anyFile: string,
): Record<string, unknown> {
  const { id, severity } = problem;
  const text = [`${statement(problem)}.`, ...sentences(problem)].join(" ");
  const { file, line } = problem.place ?? { file: namedFile(problem) ?? anyFile, line: 1 };
  return {
    ruleId: id,
    ruleIndex: ids.indexOf(id),
    level: severity,
    message: { text },
    locations: [{
      physicalLocation: {
        artifactLocation: { uri: uriOf(file) },
        region: { startLine: line },
      },
    }],
  };
}

/** The file that a problem with a whole file, or with several, is about. */
function namedFile({ id, flag, value }: Problem): string | undefined {
  if (!FILE_FLAGS.includes(flag) || !value) return undefined;
  return id === "manifest-no-router" ? value.split(" ")[0] : value;
}

/** Some file that holds what was found or what was set. */
function firstFile({ problems, subjects }: Findings): string {
  const places: (Place | undefined)[] = problems.map(({ place }) => place);
  for (const { report } of subjects) {
    places.push(...Object.values(report.effective.origins ?? {}).map(({ place }) => place));
  }
  const named = problems.map(namedFile).find((file) => file !== undefined);
  return places.find((place) => place !== undefined)?.file ?? named ?? NO_FILE;
}

/** A reference relative to the folder of the call: none of its characters is read as anything else. */
function uriOf(file: string): string {
  return file.toWellFormed().split("/").map(encodeURIComponent).join("/");
}
