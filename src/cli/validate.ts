// `validate`: checks everything that `serve` would refuse to start with, and what stands around it
// in manifests and Envoy configurations, without starting anything.
import type { Problem } from "../check/settings.ts";
import { type Command, EXIT_OK, EXIT_PROBLEM, EXIT_USAGE, type Invocation } from "./command.ts";
import type { Findings } from "./findings.ts";
import type { CliIo } from "./io.ts";
import { githubReport } from "./report_github.ts";
import { reportJson } from "./report_json.ts";
import { sarifReport } from "./report_sarif.ts";
import { reportText, wantsColour } from "./report_text.ts";
import { findProblems } from "./validate_subjects.ts";

export const VALIDATE_COMMAND: Command = {
  name: "validate",
  summary: "check flags, a config file, manifests or a live Envoy; for CI",
  settings: true,
  own: [
    {
      name: "manifest",
      form: { kind: "path" },
      many: true,
      help: "Kubernetes files with the router's pod, its Envoy and ConfigMaps",
      more:
        "Several are read as one; /dev/stdin reads what is piped in. The container's args and env are then the configuration; flags given here override " +
        "them (--config takes the place of the container's), and the environment of validate " +
        "itself does not count.",
    },
    {
      name: "envoy-config",
      form: { kind: "path" },
      many: true,
      help: "Envoy bootstrap or config dump to hold against the flags",
    },
    {
      name: "envoy-admin",
      form: { kind: "url" },
      help: "admin address of a running Envoy, to check what it has",
    },
    {
      name: "format",
      form: { kind: "choice", values: ["text", "json", "github", "sarif"] },
      help: "text, json, github (annotations) or sarif",
    },
    {
      name: "strict",
      form: { kind: "boolean" },
      help: "exit 1 for warnings too",
    },
  ],
  examples: [
    "validate --config router.yaml",
    "validate --manifest deploy/*.yaml --format github --strict",
    "validate --envoy-admin http://127.0.0.1:9901 --parked-request-budget=10s",
  ],
  exits: ["fine", "a rule is broken", "words not understood, or a file not readable"],
  run: validate,
};

async function validate(invocation: Invocation, io: CliIo): Promise<number> {
  const findings = await findProblems(invocation, io);
  const { options } = invocation;
  const code = exitCode(findings.problems, options.get("strict")?.[0] === true);
  const format = String(options.get("format")?.[0] ?? "text");
  io.stdout.write(render(format, findings, code, wantsColour(io.stdout.isTerminal, io.env)));
  return code;
}

function render(format: string, findings: Findings, code: number, colour: boolean): string {
  switch (format) {
    case "json":
      return reportJson(findings, code);
    case "github":
      return githubReport(findings);
    case "sarif":
      return sarifReport(findings, code);
    default:
      return reportText(findings, colour);
  }
}

/** Words that were not understood weigh more than a broken rule. */
function exitCode(problems: readonly Problem[], strict: boolean): number {
  const counting = problems.filter(({ severity }) => strict || severity === "error");
  if (counting.some(({ kind }) => kind === "usage")) return EXIT_USAGE;
  return counting.length > 0 ? EXIT_PROBLEM : EXIT_OK;
}
