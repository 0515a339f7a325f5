import { assertEquals } from "@std/assert";
import { scanWords } from "../../src/cli/flags/scan.ts";
import type { Flag } from "../../src/cli/flags/spec.ts";

const FLAGS: readonly Flag[] = [
  { name: "parked-request-max", form: { kind: "count" }, help: "" },
  { name: "drain-delay", form: { kind: "duration" }, help: "" },
  { name: "last-chance", form: { kind: "boolean" }, help: "" },
  { name: "manifest", form: { kind: "path" }, help: "", many: true },
  { name: "help", form: { kind: "boolean" }, help: "" },
];

function scanned(words: string): ReturnType<typeof scanWords> {
  return scanWords(asWords(words === "" ? [] : words.split(" ")), FLAGS, "serve");
}

function asWords(words: readonly string[]): { text: string }[] {
  return words.map((text) => ({ text }));
}

/** Texts by the flag's name. */
function texts({ given }: ReturnType<typeof scanWords>): Record<string, string[]> {
  return Object.fromEntries([...given].map(([name, all]) => [name, all.map(({ text }) => text)]));
}

Deno.test("scanWords() takes values behind a blank and behind =", () => {
  const rows: readonly [words: string, given: Record<string, string[]>][] = [
    ["", {}],
    ["--parked-request-max 5", { "parked-request-max": ["5"] }],
    ["--parked-request-max=5", { "parked-request-max": ["5"] }],
    ["--drain-delay=-1s", { "drain-delay": ["-1s"] }],
    ["--drain-delay=a=b", { "drain-delay": ["a=b"] }],
    ["--drain-delay=", { "drain-delay": [""] }],
    ["--last-chance", { "last-chance": ["true"] }],
    ["--last-chance=false", { "last-chance": ["false"] }],
    ["--last-chance --drain-delay 1s", { "last-chance": ["true"], "drain-delay": ["1s"] }],
    ["--manifest a b --manifest=c --last-chance", {
      manifest: ["a", "b", "c"],
      "last-chance": ["true"],
    }],
    ["-h", { help: ["true"] }],
    ["--help --help -h", { help: ["true"] }],
  ];
  for (const [words, given] of rows) {
    const scan = scanned(words);
    assertEquals(texts(scan), given, words);
    assertEquals(scan.problems, [], words);
  }
});

const BAD: readonly [words: string, problems: string[]][] = [
  ["--parked-reqest-max=5", ["unknown-flag --parked-reqest-max=5"]],
  ["--parked-reqest-max 5", ["unknown-flag --parked-reqest-max"]],
  ["-parked-request-max=5", ["unknown-flag -parked-request-max=5"]],
  ["-x", ["unknown-flag -x"]],
  ["--no-last-chance", ["unknown-flag --no-last-chance"]],
  ["--no-last-chance --drain-delay=1s", ["unknown-flag --no-last-chance"]],
  ["--no-parked-request-max", ["unknown-flag --no-parked-request-max"]],
  ["--__proto__=1", ["unknown-flag --__proto__=1"]],
  ["--constructor", ["unknown-flag --constructor"]],
  ["--drain-delay", ["flag-without-value --drain-delay"]],
  ["--drain-delay -1s", ["flag-without-value --drain-delay"]],
  ["--drain-delay --last-chance", ["flag-without-value --drain-delay"]],
  ["--drain-delay -h", ["flag-without-value --drain-delay"]],
  ["--manifest", ["flag-without-value --manifest"]],
  ["--drain-delay=1s --drain-delay=1s", ["flag-repeated --drain-delay"]],
  ["--drain-delay=1s --drain-delay 2s --drain-delay=3s", ["flag-repeated --drain-delay"]],
  ["--last-chance --last-chance=false", ["flag-repeated --last-chance"]],
  ["--last-chance false", ["stray-word false"]],
  ["stray", ["stray-word stray"]],
  ["--", ["stray-word --"]],
  ["-", ["stray-word -"]],
  ["--=5", ["stray-word --=5"]],
  ["--drain-delay=1s x --y z", ["stray-word x", "unknown-flag --y"]],
  ["--drain-delay 5 s", ["stray-word s"]],
];

Deno.test("B48: scanWords() refuses what it does not know, all at once", () => {
  for (const [words, problems] of BAD) {
    const found = scanned(words).problems.map(({ id, flag }) => `${id} ${flag}`);
    assertEquals(found, problems, words);
  }
});

const FIXES: readonly [words: string, fix: string][] = [
  ["--parked-reqest-max=5", "Did you mean --parked-request-max?"],
  ["--parked_request_max=5", "Did you mean --parked-request-max?"],
  ["-drain-delay=5s", "Did you mean --drain-delay?"],
  ["--no-last-chance", "Did you mean --last-chance=false?"],
  ["--zzzzzzzz", "atenet-router serve --help lists the flags"],
  ["--drain-delay -1s", "Write --drain-delay=-1s"],
  ["--drain-delay", "Write --drain-delay=DURATION"],
  ["--last-chance false", "Write --last-chance=false"],
  ["--last-chance off", "Write --last-chance=false"],
  ["--last-chance yes", "Write --last-chance=true"],
  ["word", "Write flags as --flag=value or --flag value"],
];

Deno.test("B48: every refusal says what to write instead", () => {
  for (const [words, fix] of FIXES) {
    assertEquals(scanned(words).problems.map((problem) => problem.fix), [fix], words);
  }
});

Deno.test("scanWords() cuts and cleans what it shows", () => {
  const word = `--${"x".repeat(500)}\u001b[31m`;
  const [problem] = scanWords(asWords([word]), FLAGS, "serve").problems;
  assertEquals(problem?.flag.length, 121);
  const [escape] = scanWords(asWords(["--x\u001b[31m"]), FLAGS, "serve").problems;
  assertEquals(escape?.flag, "--x?[31m");
  const [empty] = scanWords(asWords([""]), FLAGS, "serve").problems;
  assertEquals(empty?.flag, '""');
});

Deno.test("scanWords() keeps the first of repeated values", () => {
  assertEquals(texts(scanned("--drain-delay=1s --drain-delay=2s")), { "drain-delay": ["1s"] });
});

Deno.test("scanWords() keeps where words stand", () => {
  const lines = ["--drain-delay=1s", "--parked-request-max", "5", "--nonsense", "--manifest"];
  const words = lines.map((text, i) => ({ text, place: { file: "pod.yaml", line: 10 + i } }));
  const { given, problems } = scanWords(words, FLAGS, "serve");
  assertEquals([...given.values()].flat(), [
    { text: "1s", source: "command line", place: { file: "pod.yaml", line: 10 } },
    { text: "5", source: "command line", place: { file: "pod.yaml", line: 12 } },
  ]);
  assertEquals(problems.map(({ place }) => place?.line), [13, 14]);
});
