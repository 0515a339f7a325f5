// Renders docs/configuration.md from the tables: flags, commands, rules. A test holds the committed
// file to it; UPDATE_GOLDEN=1 writes it again.
import { RULES } from "../check/rules.ts";
import type { Command } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { environmentName, type Flag, GROUPS, type SettingFlag } from "./flags/spec.ts";
import { CONFIG_FLAG, SETTING_FLAGS } from "./flags/table.ts";
import { sentence } from "./flags/usage.ts";
import { placeholder } from "./flags/value.ts";

/** The whole document. */
export function configurationDoc(): string {
  return [
    INTRODUCTION,
    ...GROUPS.map(groupSection),
    commandsSection(),
    FILE_SECTION,
    AROUND_SECTION,
    rulesSection(),
    exitSection(),
  ].join("\n\n") + "\n";
}

const INTRODUCTION = `<!-- deno-fmt-ignore-file -->
<!-- Generated from the flag table. Do not edit: change src/cli/flags/ and run the tests with
UPDATE_GOLDEN=1. -->

# Configuration

Every value can be given in three ways. The first that is there counts:

1. a flag on the command line,
2. an environment variable (empty = not set; unknown \`ATENET_…\` variables are ignored),
3. the config file (\`--config\`; unknown keys are refused),

and then the default. \`serve\` logs every effective value with its source; \`validate\` checks them.

- \`--flag value\` and \`--flag=value\` are the same. A value that begins with \`-\` needs \`=\`.
- Durations are written \`300ms\`, \`1.5s\`, \`2m\`, \`1h30m\` (also \`us\`, \`ns\`), at most \`24h\`. \`0\` needs no
  unit, every other number does.
- Counts and ports are plain decimal integers up to 2147483647.
- A boolean is \`--flag\`, \`--flag=true\` or \`--flag=false\`. There is no \`--no-flag\`.
- Unknown, repeated, empty and stray words are refused, all at once. An empty value (\`--flag=\`) is
  taken only where the table gives it a meaning.`;

function groupSection(group: string): string {
  const flags = SETTING_FLAGS.filter((flag) => flag.group === group);
  return [
    `## ${group}`,
    "",
    "| flag | environment | default | meaning |",
    "| --- | --- | --- | --- |",
    ...flags.map((flag) =>
      row([
        code(`--${flag.name}`),
        code(environmentName(flag)),
        defaultCell(flag),
        meaning(flag),
      ])
    ),
  ].join("\n");
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

function code(text: string): string {
  return `\`${text}\``;
}

function defaultCell({ fallback, form }: SettingFlag): string {
  const kind = form.kind === "choice" ? `one of ${form.values.join(", ")}` : "";
  return [fallback === "" ? "none" : code(fallback), kind].filter((part) => part !== "")
    .join("; ");
}

function meaning(flag: Flag): string {
  const text = `${sentence(flag)}.${flag.more === undefined ? "" : ` ${flag.more}`}`;
  return text.replaceAll("<", "&lt;");
}

function commandsSection(): string {
  return ["## Flags of one command", ...COMMANDS.map(commandTable)].join("\n\n");
}

function commandTable({ name, summary, own, settings, operand }: Command): string {
  const first = `\`${name}\`: ${summary}.`;
  if (operand !== undefined) return `${first} Its one word is ${operand.values.join(", ")}.`;
  return [
    first,
    "",
    "| flag | meaning |",
    "| --- | --- |",
    ...[...own, ...settings ? [CONFIG_FLAG] : []].map((flag) =>
      row([code(ownAssignment(flag)), meaning(flag)])
    ),
  ].join("\n");
}

function ownAssignment(flag: Flag): string {
  return flag.form.kind === "boolean" ? `--${flag.name}` : `--${flag.name}=${placeholder(flag)}`;
}

const FILE_SECTION = `## Config file

YAML or JSON: one map from the names of flags, without dashes in front, to their values.

\`\`\`yaml
parked-request-budget: 10s
parked-request-max: 2048
ateapi-auth: jwt
ateapi-ca-file: /etc/ate/ca.pem
ateapi-token-file: /var/run/secrets/ate/token
\`\`\`

A key without a value (nothing, \`~\`, \`null\`) is refused: \`""\` is the empty value, and a line that
is not there leaves the default.

## Files

Files that carry words (\`--config\`) are read before anything else; one that cannot be read is a
usage error (exit 2). Certificates, keys and tokens are read by \`serve\` when it starts; one that
cannot be used there means that it could not start (exit 1). \`validate\` does not open them: it also
runs where the pod's files do not exist.`;

const AROUND_SECTION = `## What validate looks at

- **Flags**: its own flags, the environment and the config file, as \`serve\` would read them.
- **Manifests** (\`--manifest FILE…\`, read as one): pods whose container runs \`atenet-router serve\`.
  Its words, \`ATENET_…\` variables, ConfigMaps that stand in the files and flags given to
  \`validate\` (which win) are the configuration; the environment of \`validate\` does not count. The
  grace period, probes, the Envoy beside it and its preStop hook are held against it, and so is
  the configuration that this Envoy carries in \`--config-yaml\` or mounts from a ConfigMap.
- **Envoy** (\`--envoy-config FILE…\`, a bootstrap or a config dump in YAML or JSON; \`--envoy-admin
  URL\`, a running one): timers, breakers, filter settings, order of filters, routes and clusters,
  above all what Envoy's own validation does not find.

An **error** means that requests fail, are lost or reach a wrong place under some load that the
configuration allows. A **warning** means that it works, but slower, blinder or by luck; \`--strict\`
makes it count. What is known only in the cluster (\`$(VARIABLE)\`, a template, a Secret) is reported
as not checked, a warning, and no rule is held against it; give the value as a flag to check it. A
file that is a template from end to end has to be rendered first. Without \`--envoy-admin\` nothing
is asked over the network.

\`--format github\` prints annotations, \`sarif\` a SARIF 2.1.0 document, \`json\` one document with the
problems and, per configuration, derived values and settings (durations in ms). SARIF places every
problem: one that stands in no file is at line 1 of a file that was given, else of \`atenet-router\`.`;

function rulesSection(): string {
  return [
    "## What is refused",
    "",
    "`serve` and `validate` refuse the same, all problems at once. A budget or a retry interval of 0",
    "or less, and a retry factor of 0, are not refused: they mean the default, and the log says so.",
    "A refused value is replaced by its derived one for the checks after it.",
    "",
    "| id | rule |",
    "| --- | --- |",
    ...Object.entries(RULES).map(([id, title]) => row([code(id), `${title}.`])),
  ].join("\n");
}

function exitSection(): string {
  const codes = Array.from({ length: Math.max(...COMMANDS.map(({ exits }) => exits.length)) });
  return [
    "## Exit codes",
    "",
    row(["command", ...codes.map((_, exit) => String(exit))]),
    row(["---", ...codes.map(() => "---")]),
    ...COMMANDS.map(({ name, exits }) =>
      row([code(name), ...codes.map((_, exit) => exits[exit] ?? "")])
    ),
    "",
    "When words are not understood and a rule is broken, all of it is told and the code is 2. With",
    "`validate --strict` a warning is a broken rule. `status --watch` ends with its last answer's code.",
  ].join("\n");
}
