// Fuzz target: files that `validate` is given, as YAML or JSON: a manifest, an Envoy configuration and
// the router's own config file, all from the same text. Whatever it holds: findings, an exit code, no
// throw, bounded. See _loop.ts. deno test -A tests/fuzz/files_fuzz_test.ts
import { assert } from "@std/assert";
import { call } from "../cli/fake_io.ts";
import type { Random } from "../wire/support/random.ts";
import { changedText } from "./_change.ts";
import { Input } from "./_input.ts";
import { fuzz } from "./_loop.ts";
import { checkTerminal } from "./_terminal.ts";

const KEYS = [
  ...["kind: Pod\n", "kind: List\n", "spec:\n", "containers:\n", "- name: atenet-router\n"],
  ...[
    "args: [serve, --ateapi-auth=insecure]\n",
    "env:\n",
    "- {name: ATENET_CONFIG, value: /c/r}\n",
  ],
  ...[
    "terminationGracePeriodSeconds: 60\n",
    "image: envoy\n",
    "data:\n",
    "x: |\n",
    "static_resources:\n",
  ],
  ...[
    "listeners: []\n",
    "clusters:\n",
    "configs: []\n",
    "parked-request-max: 4\n",
    "drain-delay: 5s\n",
  ],
];
const PIECES = [
  ...KEYS,
  ...["\n", "  ", "- ", ": ", "{", "}", "[", "]", ",", '"', "'", "|", ">", "#", "---\n", "...\n"],
  ...[
    "&a ",
    "*a",
    "<<: *a",
    "!!binary ",
    "!!set ",
    "? ",
    "\t",
    "null",
    "~",
    "true",
    "0",
    "-1",
    "1e9",
  ],
  ...[
    "0x10",
    ".inf",
    ".nan",
    "2026-01-01",
    "$(X)",
    "{{ x }}",
    "__proto__",
    "constructor",
    "\ufeff",
  ],
  ...[
    "\u001b[2J",
    "\u0000",
    "\u2028",
    "\ud800",
    "%YAML 1.1\n",
    "%TAG ! x\n",
    "@type: ",
    "9".repeat(30),
  ],
];
const FORMATS = ["text", "json", "github", "sarif"];

async function run({ text }: Input): Promise<string> {
  const format = FORMATS[text.length % FORMATS.length]!;
  const outcomes = await Promise.all(["manifest", "envoy-config", "config"].map(async (flag) => {
    const args = ["validate", "--ateapi-auth=insecure", `--format=${format}`, `--${flag}=f`];
    const { code, stdout, stderr } = await call(args, { files: { f: text } });
    assert([0, 1, 2].includes(code), `exit code ${code}`);
    checkTerminal(stdout + stderr);
    if (format === "json" || format === "sarif") JSON.parse(stdout);
    return code;
  }));
  return outcomes.some((code) => code < 2) ? "checked" : "refused";
}

function candidate(random: Random): string {
  let text = "";
  let indent = 0;
  for (let lines = 1 + random.below(10); lines > 0; lines--) {
    text += "  ".repeat(indent) + random.pick(random.oneIn(4) ? PIECES : KEYS);
    indent = Math.max(0, indent + random.below(3) - 1);
  }
  return text;
}

Deno.test("fuzz: whatever a file for validate holds, there are findings and an exit code", () =>
  fuzz({
    name: "files",
    form: "text",
    fresh: (random) => Input.text(candidate(random)),
    changed: (random, { text }, other) => Input.text(changedText(random, text, other.text, PIECES)),
    run,
    outcomes: ["checked", "refused"],
    breeds: ["checked"],
    // The library reads a few megabytes a second, and a stack that overflows takes it a while.
    slowMs: 3_000,
  }));
