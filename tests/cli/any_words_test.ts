// Whatever the words, variables and files are: an answer, an exit code, never a throw, and nothing
// started that breaks a rule.
import { assert, assertEquals } from "@std/assert";
import { parse, stringify } from "yaml";
import { checkFlags } from "../../src/check/flags.ts";
import { COMMANDS } from "../../src/cli/commands.ts";
import { environmentName } from "../../src/cli/flags/spec.ts";
import { SETTING_FLAGS } from "../../src/cli/flags/table.ts";
import type { Loose } from "../check/envoy_fixture.ts";
import { GOOD } from "../check/manifest_fixture.ts";
import { runSeed, seeded } from "../support/seeded.ts";
import { call } from "./fake_io.ts";

const VALUES = [
  ...["", "0", "1", "-1", "5", "1024", "65536", "2147483648", "1.5", "NaN", "true", "false"],
  ...["5s", "0s", "-1s", "30s", "24h", "25h", "5 s", "mtls", "jwt", "insecure", "a:1", ":9090"],
  ...["[::]:1", "::", "127.0.0.1", "a.b", "x y", "\n", "__proto__", "é", "$(X)", "{{ x }}"],
];

const COMMAND_NAMES = COMMANDS.map(({ name }) => name).filter((name) => name !== "status");

Deno.test("any words end in an exit code, and only checked settings are run", async () => {
  const seed = runSeed();
  const draw = seeded(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(draw() * list.length)]!;
  const word = () => {
    const flag = pick(SETTING_FLAGS).name;
    const forms = [
      `--${flag}=${pick(VALUES)}`,
      `--${flag}`,
      pick(VALUES),
      `--no-${flag}`,
      "--",
      "-x",
    ];
    return draw() < 0.7 ? forms[0]! : pick(forms);
  };
  let started = 0;
  for (let round = 0; round < 400; round++) {
    const words = Array.from({ length: Math.floor(draw() * 4) }, word);
    const env = Object.fromEntries(
      Array.from({ length: Math.floor(draw() * 3) }, () => [
        environmentName(pick(SETTING_FLAGS)),
        pick(VALUES),
      ]),
    );
    const args = [pick(COMMAND_NAMES), "--ateapi-auth=insecure", ...words];
    const told = `SEED=${seed} ${JSON.stringify({ args, env })}`;
    const { code, stdout, stderr, starts } = await call(args, { env });
    assert([0, 1, 2].includes(code), told);
    if (code !== 0) assert(stdout + stderr !== "", told);
    for (const { settings } of starts) {
      started++;
      const { problems, notices } = checkFlags(settings);
      assertEquals(problems.filter(({ severity }) => severity === "error"), [], told);
      assertEquals(notices, [], told);
    }
  }
  assert(started > 10, `SEED=${seed}: only ${started} starts`);
});

Deno.test("values of a wrong kind in any place of a manifest never throw", async () => {
  const wrong = [null, 5, "text", [], {}, [null], { a: 1 }, true, "$(X)"];
  const root: Loose = parse(GOOD);
  const places: [holder: Loose, key: string][] = [];
  const visit = (value: Loose) => {
    if (value === null || typeof value !== "object") return;
    for (const key of Object.keys(value)) {
      places.push([value, key]);
      visit(value[key]);
    }
  };
  visit(root);
  assert(places.length > 40);
  for (const [i, [holder, key]] of places.entries()) {
    const held = holder[key];
    holder[key] = wrong[i % wrong.length];
    const text = stringify(root);
    holder[key] = held;
    const { code, stdout } = await call(["validate", "--manifest=m.yaml"], {
      files: { "m.yaml": text },
    });
    assert([0, 1, 2].includes(code) && stdout !== "", text);
  }
});

Deno.test("any bytes as a config file end in an exit code", async () => {
  const seed = runSeed();
  const draw = seeded(seed);
  const pieces = [
    "a: ",
    "\n",
    "- ",
    "{",
    "}",
    "[",
    "]",
    "&a ",
    "*a",
    "|\n  ",
    "'",
    '"',
    "\t",
    ": ",
    "#",
  ];
  for (let round = 0; round < 200; round++) {
    const text = Array.from({ length: 12 }, () => pieces[Math.floor(draw() * pieces.length)])
      .join("");
    const args = ["validate", "--ateapi-auth=insecure", "--config=c.yaml"];
    const { code } = await call(args, { files: { "c.yaml": text } });
    assert([0, 2].includes(code), `SEED=${seed} ${JSON.stringify(text)}`);
  }
});
