// Fuzz target: words of the command line, durations first, against a reading of the duration's rule in
// exact integers. Whatever the words: an exit code, no throw, and nothing on the terminal that
// could steer it. See _loop.ts. deno test -A tests/fuzz/words_fuzz_test.ts
import { assert, assertEquals } from "@std/assert";
import { DURATION_MAX_MS, formatDuration, parseDuration } from "../../src/check/duration.ts";
import { SETTING_FLAGS } from "../../src/cli/flags/table.ts";
import { parseValue } from "../../src/cli/flags/value.ts";
import { call } from "../cli/fake_io.ts";
import type { Random } from "../wire/support/random.ts";
import { changedText } from "./_change.ts";
import { Input } from "./_input.ts";
import { fuzz } from "./_loop.ts";
import { checkTerminal } from "./_terminal.ts";

const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  "\u00b5s": 1_000n,
  "\u03bcs": 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const TERM = /^(\d*)(?:\.(\d*))?(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/;
const PIECES = [
  ...["1", "0", "9", ".", "-", "+", "ns", "us", "\u00b5s", "ms", "s", "m", "h", "1h30m", "24h"],
  ...[" ", "=", "--", "5s", "1.5s", "0.1", "true", "false", "127.0.0.1:1", "[::1]:9", ":9090"],
  ...["e3", "0x1", "\u0661", "\u001b[2J", "\n", "\u0000", "__proto__", "\u202e", "1e400"],
  ...SETTING_FLAGS.map(({ name }) => `--${name}=`),
];

/** Nanoseconds by the rule, each term rounded by itself; undefined = no duration. */
function exactNs(text: string): bigint | undefined {
  let rest = /^[-+]/.test(text) ? text.slice(1) : text;
  if (/^0+$/.test(rest)) return 0n;
  if (rest === "" || rest.length > 64) return undefined;
  let sum = 0n;
  while (rest !== "") {
    const [all, whole = "", fraction = "", unit = ""] = TERM.exec(rest) ?? [];
    const unitNs = UNITS[unit];
    if (all === undefined || unitNs === undefined || whole + fraction === "") return undefined;
    const scale = 10n ** BigInt(fraction.length);
    sum += BigInt(whole || "0") * unitNs;
    sum += (2n * BigInt(fraction || "0") * unitNs + scale) / (2n * scale);
    rest = rest.slice(all.length);
  }
  return sum;
}

/** @returns whether it is one. */
function checkDuration(text: string): boolean {
  const exact = exactNs(text);
  const parsed = parseDuration(text);
  if (!parsed.ok) {
    const tooLong = exact !== undefined && exact > BigInt(DURATION_MAX_MS) * 1_000_000n;
    assert(exact === undefined || tooLong, `refused: ${JSON.stringify(text)}`);
    return false;
  }
  const ns = Math.round(Math.abs(parsed.ms) * 1e6);
  const offNs = Math.abs(ns - Number(exact ?? NaN));
  // Fractions are rounded as doubles: a nanosecond each.
  assert(offNs <= 1 + text.split(".").length, `${JSON.stringify(text)}: ${ns} ns, not ${exact}`);
  const again = parseDuration(formatDuration(parsed.ms));
  assertEquals(again, parsed, `${JSON.stringify(text)} as ${formatDuration(parsed.ms)}`);
  return true;
}

async function run({ text }: Input): Promise<string> {
  const words = text.split(" ");
  let durations = 0;
  for (const word of words) {
    const value = word.slice(word.indexOf("=") + 1);
    if (checkDuration(value)) durations++;
    for (const flag of SETTING_FLAGS) {
      const parsed = parseValue(flag, value);
      if (!parsed.ok) assert(parsed.why !== "" && parsed.fix !== "");
    }
  }
  const { code, stdout, stderr } = await call(["validate", "--ateapi-auth=insecure", ...words]);
  checkTerminal(stdout + stderr);
  assert([0, 1, 2].includes(code), `exit code ${code}`);
  if (code !== 2) return "understood";
  return durations > 0 ? "a duration" : "refused";
}

function candidate(random: Random): string {
  const word = () => `--${random.pick(SETTING_FLAGS).name}=${value(random)}`;
  return Array.from({ length: 1 + random.below(3) }, word).join(" ");
}

function value(random: Random): string {
  const pieces = Array.from(
    { length: 1 + random.below(4) },
    () => random.pick(PIECES.slice(0, 26)),
  );
  return pieces.join("");
}

Deno.test("fuzz: any words end in an exit code, and durations are what their rule says", () =>
  fuzz({
    name: "words",
    form: "text",
    fresh: (random) => Input.text(candidate(random)),
    changed: (random, { text }, other) =>
      Input.text(changedText(random, text, other.text, PIECES).slice(0, 500)),
    run,
    outcomes: ["understood", "a duration", "refused"],
    breeds: ["understood", "a duration"],
  }));
