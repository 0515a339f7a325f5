import { assertEquals, assertStringIncludes } from "@std/assert";
import { readConfig } from "../../src/cli/flags/config_file.ts";
import { SETTING_FLAGS } from "../../src/cli/flags/table.ts";
import { call } from "./fake_io.ts";

function read(text: string): ReturnType<typeof readConfig> {
  return readConfig("router.yaml", text, SETTING_FLAGS);
}

/** `line id flag rule` of every problem. */
function problems(text: string): string[] {
  return read(text).problems.map(({ place, id, flag, rule }) =>
    `${place?.line} ${id} ${flag} ${rule}`
  );
}

Deno.test("readConfig() reads YAML and JSON alike", () => {
  const yaml = "parked-request-max: 2048\nparked-request-budget: 5s\nmetrics-listen-addr: :9090\n";
  const json = '{"parked-request-max": 2048, "parked-request-budget": "5s",\n' +
    '\t"metrics-listen-addr": ":9090"}';
  for (const text of [yaml, json]) {
    const { given, problems } = read(text);
    assertEquals(problems, []);
    assertEquals([...given].map(([name, { text, source }]) => [name, text, source]), [
      ["parked-request-max", "2048", "file"],
      ["parked-request-budget", "5s", "file"],
      ["metrics-listen-addr", ":9090", "file"],
    ]);
  }
});

Deno.test("readConfig() keeps lines and what was written", () => {
  const { given } = read("# why\nparked-request-retry-factor: 1.10\nlog-level: 'debug'\n");
  assertEquals(given.get("parked-request-retry-factor"), {
    text: "1.10",
    source: "file",
    place: { file: "router.yaml", line: 2 },
  });
  assertEquals(given.get("log-level")?.text, "debug");
});

Deno.test("readConfig() takes an empty file as no values", () => {
  for (const text of ["", "# nothing\n", "---\n", "{}"]) {
    const { given, problems } = read(text);
    assertEquals([given.size, problems], [0, []], JSON.stringify(text));
  }
});

const BAD: readonly [text: string, problems: string[]][] = [
  ["parked-reqest-max: 5", [
    "1 unknown-key parked-reqest-max is not a key of the config file",
  ]],
  ["a: 1\nb: 2", [
    "1 unknown-key a is not a key of the config file",
    "2 unknown-key b is not a key of the config file",
  ]],
  ["--port-http: 80", ["1 unknown-key --port-http is not a key of the config file"]],
  ["config: x.yaml", ["1 unknown-key config is not a key of the config file"]],
  ["__proto__: 1", ["1 unknown-key __proto__ is not a key of the config file"]],
  ["port-http: [80]", ["1 bad-value --port-http is a list or a map"]],
  ["\nport-http:\n  a: 1", ["2 bad-value --port-http is a list or a map"]],
  ["- port-http", ["1 bad-file config file is not a map of flags"]],
  ["port-http", ["1 bad-file config file is not a map of flags"]],
  ["port-http: 1\n---\nport-http: 2", ["3 bad-file config file holds more than one document"]],
  ["port-http: 1\nport-http: 2", [
    "2 bad-file config file is not YAML: Map keys must be unique",
  ]],
  ["x".repeat((1 << 20) + 1), ["1 bad-file config file is larger than 1 MiB"]],
];

Deno.test("readConfig() refuses what it does not know, all at once, with the line", () => {
  for (const [text, expected] of BAD) assertEquals(problems(text), expected, text.slice(0, 60));
});

Deno.test("readConfig() says what was meant", () => {
  const fixes = read("parked-reqest-max: 5\n--port-http: 80\n").problems.map(({ fix }) => fix);
  assertEquals(fixes, ["Did you mean parked-request-max?", "Did you mean port-http?"]);
});

Deno.test("readConfig() gives the good keys beside the bad ones", () => {
  const { given, problems } = read("port-http: 80\nnonsense: 1\n");
  assertEquals([given.get("port-http")?.text, problems.length], ["80", 1]);
});

Deno.test("readConfig() takes a flag for turned off only when that is written", () => {
  for (const { name, empty } of SETTING_FLAGS) {
    for (const nothing of ["", "~", "null", "# why", "!!null"]) {
      const { given, problems: [problem, second] } = read(`# first\n${name}: ${nothing}\n`);
      assertEquals(given.size, 0, name);
      assertEquals([problem?.place?.line, problem?.flag, problem?.rule, second], [
        2,
        `--${name}`,
        "has no value",
        undefined,
      ]);
      const way = empty === undefined ? "Write a value" : `Write "" for ${empty}`;
      assertEquals(problem?.fix, `${way}, or remove the line`);
    }
    for (const written of ['""', "''", "!!str"]) {
      assertEquals(read(`${name}: ${written}\n`).given.get(name)?.text, "", name);
    }
  }
  assertEquals(problems('{"port-http": null,\n"metrics-listen-addr": null}'), [
    "1 flag-without-value --port-http has no value",
    "2 flag-without-value --metrics-listen-addr has no value",
  ]);
});

Deno.test("an Envoy that would not be drained, by a key without a value, is refused by serve", async () => {
  const words = ["serve", "--config=router.yaml", "--ateapi-auth=insecure"];
  const run = (text: string) => call(words, { files: { "router.yaml": text } });
  const { code, stderr, starts } = await run("envoy-admin-address:\n");
  assertEquals([code, starts.length], [2, 0]);
  assertStringIncludes(stderr, "router.yaml:1 --envoy-admin-address has no value");
  assertStringIncludes(stderr, 'Write "" for no Envoy to drain, or remove the line.');
  const meant = await run('envoy-admin-address: ""\n');
  assertEquals([meant.code, meant.starts[0]?.settings.values.envoyAdminAddress], [0, ""]);
});
