// `serve`: runs the router, or the demonstration of it, when words and rules allow it.
import type { Notice } from "../check/checking.ts";
import { checkFlags } from "../check/flags.ts";
import type { Problem, SettingName } from "../check/settings.ts";
import { knownProblems } from "../check/unknown.ts";
import { type Command, EXIT_USAGE, type Invocation } from "./command.ts";
import { complain } from "./complain.ts";
import { SETTING_FLAGS } from "./flags/table.ts";
import { readSettings } from "./invocation.ts";
import type { CliIo } from "./io.ts";
import { countText, headline } from "./report_text.ts";
import { COMMIT, VERSION } from "./version.ts";

export const SERVE_COMMAND: Command = {
  name: "serve",
  summary: "run the router beside Envoy (ext_proc, xDS, status, metrics)",
  settings: true,
  own: [
    {
      name: "demo",
      form: { kind: "boolean" },
      help: "show parking with a simulated control plane and a real Envoy",
    },
    {
      name: "stay",
      form: { kind: "boolean" },
      help: "with --demo: keep everything up at the end",
    },
  ],
  examples: [
    "serve --demo",
    "serve --ateapi-address=127.0.0.1:7000 --ateapi-auth=insecure",
  ],
  exits: [
    "stopped in order",
    "could not start, or a fault",
    "words not understood, or a rule broken",
    "stopped, and a request had to be reset",
  ],
  notes: [
    "SIGTERM and SIGINT stop in order, a second one at once; SIGUSR1 logs at debug for 10 minutes.",
    "OTEL_EXPORTER_OTLP_ENDPOINT and the other OTEL_* variables send metrics and traces (OTLP).",
  ],
  run: serve,
};

async function serve(invocation: Invocation, io: CliIo): Promise<number> {
  const demo = invocation.options.get("demo")?.[0] === true;
  const stay = invocation.options.get("stay")?.[0] === true;
  const read = await readSettings(invocation, io);
  const report = checkFlags(read.sourced);
  const known = knownProblems(report.problems, read.unknown);
  const broken = demo ? withoutControlPlane(known) : known;
  const problems = [
    ...read.problems,
    ...(stay && !demo ? [STAY_ALONE] : []),
    ...broken,
  ];
  if (problems.some(({ severity }) => severity === "error")) {
    return refuse(problems, report.notices, io);
  }
  const options = {
    notices: [...report.notices, ...problems.map(warningNotice)],
    derived: report.derived,
    build: { version: VERSION, commit: COMMIT, runtime: io.runtime },
  };
  return await (demo
    ? io.demo(report.effective, { ...options, stay })
    : io.run(report.effective, options));
}

/** The demonstration brings its own control plane. */
function withoutControlPlane(problems: readonly Problem[]): Problem[] {
  return problems.filter(({ flag }) => !flag.startsWith("--ateapi-"));
}

const STAY_ALONE: Problem = {
  kind: "usage",
  id: "stay-without-demo",
  severity: "error",
  flag: "--stay",
  rule: "goes with --demo only",
  reason: "The router stays up by itself",
  fix: "Remove it, or add --demo",
};

function refuse(problems: readonly Problem[], notices: readonly Notice[], io: CliIo): number {
  complain(problems, io, notices);
  io.stderr.write(`${countText(problems)}: not started\n`);
  return EXIT_USAGE;
}

/** A warning does not stop the router; its log says it. */
function warningNotice(problem: Problem): Notice {
  return { level: "warn", setting: settingOf(problem), text: headline(problem) };
}

function settingOf({ flag }: Problem): SettingName {
  const found = SETTING_FLAGS.find(({ name }) => `--${name}` === flag);
  if (found === undefined) throw new TypeError(`Cannot find the setting of the flag: ${flag}`);
  return found.setting;
}
