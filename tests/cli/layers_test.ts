import { assertEquals } from "@std/assert";
import { readConfig } from "../../src/cli/flags/config_file.ts";
import { mergeLayers, readEnvironment } from "../../src/cli/flags/layers.ts";
import { environmentName } from "../../src/cli/flags/spec.ts";
import { SETTING_FLAGS } from "../../src/cli/flags/table.ts";
import type { Given } from "../../src/cli/flags/usage.ts";

function words(given: Record<string, string>): Map<string, Given> {
  return new Map(
    Object.entries(given).map(([name, text]) => [name, { text, source: "command line" }]),
  );
}

function variables(env: Record<string, string>): ReadonlyMap<string, Given> {
  return readEnvironment((name) => env[name]);
}

const NAME = "parked-request-max";
const VARIABLE = "ATENET_PARKED_REQUEST_MAX";

Deno.test("the command line wins, then the environment, then the file, then the default", () => {
  const rows: readonly [line: string, env: string, file: string, value: number, source: string][] =
    [
      ["1", "2", "3", 1, "command line"],
      ["", "2", "3", 2, "environment"],
      ["", "", "3", 3, "file"],
      ["", "", "", 1024, "default"],
      ["0", "2", "3", 0, "command line"],
    ];
  for (const [line, env, file, value, source] of rows) {
    const { sourced, problems } = mergeLayers({
      commandLine: words(line === "" ? {} : { [NAME]: line }),
      environment: variables({ [VARIABLE]: env }),
      file: readConfig("f.yaml", file === "" ? "" : `${NAME}: ${file}`, SETTING_FLAGS).given,
    });
    assertEquals(problems, []);
    assertEquals(sourced.values.parkedRequestMax, value);
    assertEquals(sourced.sources.parkedRequestMax, source);
  }
});

Deno.test("each setting comes from the command line, the environment and the file", () => {
  const other: Record<string, string> = {
    duration: "7s",
    count: "7",
    port: "7",
    number: "7",
    boolean: "false",
    path: "seven",
    address: "seven:7",
    listen: ":7",
    ip: "10.0.0.7",
    name: "seven.example",
  };
  for (const flag of SETTING_FLAGS) {
    const { form } = flag;
    const text = form.kind === "choice" ? form.values.at(-1)! : other[form.kind]!;
    const layers = [
      { commandLine: words({ [flag.name]: text }), environment: words({}), file: words({}) },
      {
        commandLine: words({}),
        environment: variables({ [environmentName(flag)]: text }),
        file: words({}),
      },
      {
        commandLine: words({}),
        environment: words({}),
        file: readConfig("f", `${flag.name}: "${text}"`, SETTING_FLAGS).given,
      },
    ];
    const results = layers.map(mergeLayers);
    assertEquals(results.map(({ problems }) => problems), [[], [], []], flag.name);
    const values = results.map(({ sourced }) => sourced.values[flag.setting]);
    assertEquals(values[1], values[0], flag.name);
    assertEquals(values[2], values[0], flag.name);
    assertEquals(results.map(({ sourced }) => sourced.sources[flag.setting]), [
      "command line",
      "environment",
      "file",
    ]);
  }
});

Deno.test("B47: 0 is a value in every layer, never the default", () => {
  const none = words({});
  const rows = [
    { commandLine: words({ [NAME]: "0" }), environment: none, file: none },
    { commandLine: none, environment: variables({ [VARIABLE]: "0" }), file: none },
    {
      commandLine: none,
      environment: none,
      file: readConfig("f", `${NAME}: 0`, SETTING_FLAGS).given,
    },
  ];
  for (const layers of rows) {
    assertEquals(mergeLayers(layers).sourced.values.parkedRequestMax, 0);
  }
});

Deno.test("an empty variable is not set, an unknown one is ignored", () => {
  assertEquals(variables({ [VARIABLE]: "", ATENET_NO_SUCH_FLAG: "x", OTHER: "y" }).size, 0);
});

Deno.test("a text that cannot be read is a problem with its origin, and leaves the default", () => {
  const { sourced, problems } = mergeLayers({
    commandLine: words({ "drain-delay": "5" }),
    environment: variables({ [VARIABLE]: "many", ATENET_STATUS_PORT: "tcp://10.0.0.1:80" }),
    file: readConfig("f.yaml", "\nport-http: 8o80\n", SETTING_FLAGS).given,
  });
  assertEquals(
    problems.map(({ kind, id, flag, value, variable, place }) => ({
      kind,
      id,
      flag,
      value,
      from: variable ?? place ?? "command line",
    })),
    [
      { kind: "usage", id: "bad-value", flag: `--${NAME}`, value: "many", from: VARIABLE },
      { kind: "usage", id: "bad-value", flag: "--drain-delay", value: "5", from: "command line" },
      {
        kind: "usage",
        id: "bad-value",
        flag: "--status-port",
        value: "tcp://10.0.0.1:80",
        from: "ATENET_STATUS_PORT",
      },
      {
        kind: "usage",
        id: "bad-value",
        flag: "--port-http",
        value: "8o80",
        from: { file: "f.yaml", line: 2 },
      },
    ],
  );
  assertEquals(
    problems.find(({ flag }) => flag === "--status-port")?.reason,
    "Kubernetes sets such a variable for a service of that name (enableServiceLinks)",
  );
  assertEquals(sourced.values.drainDelayMs, 13_000);
  assertEquals(sourced.sources.drainDelayMs, "default");
});

Deno.test("a text that does not win is not parsed", () => {
  const { problems } = mergeLayers({
    commandLine: words({ "status-port": "4040" }),
    environment: variables({ ATENET_STATUS_PORT: "tcp://10.0.0.1:80" }),
    file: words({}),
  });
  assertEquals(problems, []);
});
