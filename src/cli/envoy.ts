// `envoy`: prints the Envoy bootstrap that fits the flags.
import { envoyOptionsOf } from "../app/options.ts";
import { checkFlags, type FlagReport } from "../check/flags.ts";
import { settingProblem } from "../check/names.ts";
import type { Problem, SettingName, SourcedSettings } from "../check/settings.ts";
import { envoyBootstrap } from "../envoy/bootstrap.ts";
import type { ResetCure } from "../envoy/options.ts";
import { printBootstrap, type PrintFormat } from "../envoy/print.ts";
import { type Command, EXIT_OK, EXIT_USAGE, type Invocation } from "./command.ts";
import { complain } from "./complain.ts";
import { readSettings } from "./invocation.ts";
import type { CliIo } from "./io.ts";
import { countText } from "./report_text.ts";

export const ENVOY_COMMAND: Command = {
  name: "envoy",
  summary: "print the Envoy bootstrap that fits these flags",
  settings: true,
  own: [
    {
      name: "format",
      form: { kind: "choice", values: ["yaml", "json"] },
      help: "yaml or json",
    },
    {
      name: "ads",
      form: { kind: "boolean" },
      help: "let Envoy take listeners, routes and certificate from the router (ADS)",
      more: "Envoy keeps what it has while the router is away, and takes a new certificate " +
        "without a restart. Clusters stay in the bootstrap.",
    },
    {
      name: "reset-cure",
      form: { kind: "choice", values: ["guard", "cap", "none"] },
      help: "what keeps Envoy's stream resets from cutting connections: guard, cap or none",
      more: "guard: a runtime guard of Envoy. cap: 900 requests a connection, for an Envoy " +
        "without the guard. none: for a transport that does not count resets.",
    },
  ],
  examples: [
    "envoy > envoy.yaml",
    "envoy --ads --envoy-cert-path=/run/certs/",
    "envoy --parked-request-budget=30s --format json",
  ],
  exits: ["printed", "", "words not understood, or a rule broken"],
  run: envoy,
};

async function envoy(invocation: Invocation, io: CliIo): Promise<number> {
  const read = await readSettings(invocation, io);
  const report = checkFlags(read.sourced);
  const problems = [
    ...read.problems,
    ...report.problems.filter(concernsEnvoy),
    ...unknownPorts(read.sourced, servesAds(invocation)),
  ];
  complain(problems, io);
  if (problems.some(({ severity }) => severity === "error")) {
    io.stderr.write(`${countText(problems)}: nothing printed\n`);
    return EXIT_USAGE;
  }
  io.stdout.write(print(report, invocation));
  return EXIT_OK;
}

/** Envoy never learns how the router reaches its control plane. */
function concernsEnvoy({ flag }: Problem): boolean {
  return !flag.startsWith("--ateapi-");
}

function servesAds({ options: given }: Invocation): boolean {
  return given.get("ads")?.[0] === true;
}

/** Ports of the router that Envoy dials and that nobody knows before it listens. */
function unknownPorts(sourced: SourcedSettings, ads: boolean): Problem[] {
  const dialled: readonly SettingName[] = ads ? ["portExtproc", "portXds"] : ["portExtproc"];
  return dialled.filter((name) => sourced.values[name] === 0).map((name) =>
    settingProblem(sourced, name, {
      id: "bootstrap-port-unknown",
      rule: "lets the system choose a port when serve starts",
      reason: "Envoy's bootstrap has to name the port it dials",
      fix: "Set the port, or the one that the ready line of serve names",
    })
  );
}

function print({ effective, derived }: FlagReport, invocation: Invocation): string {
  const { options: given } = invocation;
  const format = (given.get("format")?.[0] ?? "yaml") as PrintFormat;
  const resetCure = (given.get("reset-cure")?.[0] ?? "guard") as ResetCure;
  const options = envoyOptionsOf(
    effective.values,
    derived,
    resetCure,
    servesAds(invocation),
  );
  return printBootstrap(envoyBootstrap(options), format);
}
