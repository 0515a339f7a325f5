// `validate`: checks everything that `serve` would refuse to start with, without starting it.
import { checkFlags, type FlagReport } from "../check/flags.ts";
import type { Problem } from "../check/settings.ts";
import { type Command, EXIT_OK, EXIT_PROBLEM, EXIT_USAGE, type Invocation } from "./command.ts";
import { readSettings } from "./invocation.ts";
import type { CliIo } from "./io.ts";
import { reportJson } from "./report_json.ts";
import { countText, derivedText, noticeText, problemText, wantsColour } from "./report_text.ts";
import { unsupportedProblems } from "./unsupported.ts";

export const VALIDATE_COMMAND: Command = {
  name: "validate",
  summary: "check flags and a config file; for CI",
  settings: true,
  own: [
    {
      name: "format",
      form: { kind: "choice", values: ["text", "json"] },
      help: "text or json",
    },
    {
      name: "strict",
      form: { kind: "boolean" },
      help: "exit 1 for warnings too",
    },
  ],
  examples: [
    "validate --config router.yaml",
    "validate --parked-request-max=2048 --format json",
  ],
  run: validate,
};

async function validate(invocation: Invocation, io: CliIo): Promise<number> {
  const read = await readSettings(invocation, io);
  const report = checkFlags(read.sourced);
  const problems = [...read.problems, ...unsupportedProblems(read.sourced), ...report.problems];
  const text = invocation.options.get("format")?.[0] === "json"
    ? reportJson(problems, report)
    : reportText(problems, report, wantsColour(io.stdout.isTerminal, io.env));
  io.stdout.write(text);
  return exitCode(problems, invocation.options.get("strict")?.[0] === true);
}

/** Words that were not understood weigh more than a broken rule. */
function exitCode(problems: readonly Problem[], strict: boolean): number {
  const counting = problems.filter(({ severity }) => strict || severity === "error");
  if (counting.some(({ kind }) => kind === "usage")) return EXIT_USAGE;
  return counting.length > 0 ? EXIT_PROBLEM : EXIT_OK;
}

function reportText(problems: readonly Problem[], report: FlagReport, colour: boolean): string {
  const refused = problems.some(({ severity }) => severity === "error");
  const unread = problems.some(({ id }) => id === "bad-value" || id === "flag-without-value");
  return [
    ...problems.map((problem) => problemText(problem, colour)),
    unread ? `       Values that could not be read are checked as their defaults.\n` : "",
    ...report.notices.map((notice) => noticeText(notice, colour)),
    `${countText(problems)}       ${derivedText(report.derived, refused)}`,
  ].join("");
}
