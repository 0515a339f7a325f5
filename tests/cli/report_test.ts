// Forms of a report that the golden files do not show: escapes, widths, places.
import { assertEquals } from "@std/assert";
import type { Problem } from "../../src/check/settings.ts";
import { githubReport } from "../../src/cli/report_github.ts";
import { reportJson } from "../../src/cli/report_json.ts";
import { sarifReport } from "../../src/cli/report_sarif.ts";
import {
  countText,
  headline,
  problemText,
  reportText,
  sentences,
  statement,
} from "../../src/cli/report_text.ts";
import { call } from "./fake_io.ts";

function problem(more: Partial<Problem> = {}): Problem {
  return {
    kind: "rule",
    id: "bad-value",
    severity: "error",
    flag: "--x",
    value: "5",
    source: "command line",
    rule: "is wrong",
    reason: "Something breaks",
    fix: "Mend it",
    ...more,
  };
}

const PLACE = { file: "a.yaml", line: 3 };

Deno.test("headline() says flag, value, source or place, and rule", () => {
  const rows: readonly [problem: Problem, headline: string, statement?: string][] = [
    [problem(), "--x=5 (command line) is wrong"],
    [problem({ value: "" }), "--x= (command line) is wrong"],
    [
      problem({ source: "environment", variable: "ATENET_X" }),
      "--x=5 (environment ATENET_X) is wrong",
    ],
    [problem({ place: PLACE }), "a.yaml:3 --x=5 is wrong", "--x=5 is wrong"],
  ];
  for (const [one, expected, bare] of rows) {
    assertEquals(headline(one), expected);
    assertEquals(statement(one), bare ?? expected);
  }
  const { value: _, ...bare } = problem();
  assertEquals(headline(bare), "--x is wrong");
});

Deno.test("reason and fix share a line when they fit in 100 columns", () => {
  assertEquals(
    problemText(problem()),
    "error  --x=5 (command line) is wrong\n       Something breaks. Mend it.\n",
  );
  const long = problem({ reason: "x".repeat(90), severity: "warning" });
  assertEquals(
    problemText(long),
    `warn   --x=5 (command line) is wrong\n       ${"x".repeat(90)}.\n       Mend it.\n`,
  );
  assertEquals(sentences(problem({ reason: "", fix: "Did you mean --y?" })), ["Did you mean --y?"]);
});

Deno.test("colours go around the label only", () => {
  assertEquals(
    problemText(problem(), true).split("\n")[0],
    [
      "\u001b[31merror  \u001b[0m--x=5 (command line) is wrong",
    ].join(""),
  );
});

Deno.test("countText() counts one and many", () => {
  const warning = problem({ severity: "warning" });
  assertEquals(countText([]), "0 errors, 0 warnings");
  assertEquals(countText([problem()]), "1 error, 0 warnings");
  assertEquals(countText([problem(), problem(), warning]), "2 errors, 1 warning");
});

Deno.test("annotations escape what GitHub would read", () => {
  const one = problem({ value: "50%\r\nx", place: { file: "a,b:c.yaml", line: 7 } });
  assertEquals(
    githubReport({ subjects: [], problems: [one] }).split("\n")[0],
    [
      "::error file=a%2Cb%3Ac.yaml,line=7,title=atenet-router bad-value::",
      "--x=50%25??x is wrong.%0ASomething breaks.%0AMend it.",
    ].join(""),
  );
  const bare = githubReport({ subjects: [], problems: [problem({ severity: "warning" })] });
  assertEquals(bare.startsWith("::warning title=atenet-router bad-value::--x=5 (command"), true);
  assertEquals(githubReport({ subjects: [], problems: [] }), "0 errors, 0 warnings\n");
});

/** `rule uri:line` of every result. */
function sarifPlaces(text: string): string[] {
  const { runs: [{ results }] } = JSON.parse(text);
  // deno-lint-ignore no-explicit-any
  return results.map(({ ruleId, locations }: any) => {
    assertEquals(locations.length, 1);
    const { artifactLocation: { uri }, region: { startLine } } = locations[0].physicalLocation;
    return `${ruleId} ${uri}:${startLine}`;
  });
}

Deno.test("SARIF lists each rule once", () => {
  const problems = [
    problem({ place: { file: "a b.yaml", line: 7 } }),
    problem({ id: "stray-word" }),
    problem(),
  ];
  const { runs: [run] } = JSON.parse(sarifReport({ subjects: [], problems }, 2));
  assertEquals(run.tool.driver.rules.map(({ id }: { id: string }) => id), [
    "bad-value",
    "stray-word",
  ]);
  assertEquals(run.invocations, [{ executionSuccessful: true, exitCode: 2 }]);
  assertEquals(run.results.map(({ ruleIndex }: { ruleIndex: number }) => ruleIndex), [0, 1, 0]);
  assertEquals(run.results[1].level, "error");
});

Deno.test("every result of SARIF has a location, and its URI is read as a path", () => {
  const placed = (file: string) => problem({ place: { file, line: 7 } });
  const lost = (flag: string, value: string) => problem({ id: "unreadable-file", flag, value });
  const rows: readonly [problems: Problem[], places: string[]][] = [
    [[problem()], ["bad-value atenet-router:1"]],
    [[problem(), placed("a.yaml"), placed("b.yaml")], [
      "bad-value a.yaml:1",
      "bad-value a.yaml:7",
      "bad-value b.yaml:7",
    ]],
    [[problem(), lost("--manifest", "x.yaml"), lost("--envoy-config", "y.yaml")], [
      "bad-value x.yaml:1",
      "unreadable-file x.yaml:1",
      "unreadable-file y.yaml:1",
    ]],
    [[lost("--envoy-admin", "http://127.0.0.1:9901")], ["unreadable-file atenet-router:1"]],
    [[problem({ id: "manifest-no-router", flag: "--manifest", value: "a.yaml b.yaml" })], [
      "manifest-no-router a.yaml:1",
    ]],
    [[placed("/a b/c:d#e?f%g.yaml")], ["bad-value /a%20b/c%3Ad%23e%3Ff%25g.yaml:7"]],
    [[placed("\ud800.yaml")], ["bad-value %EF%BF%BD.yaml:7"]],
  ];
  for (const [problems, places] of rows) {
    assertEquals(sarifPlaces(sarifReport({ subjects: [], problems }, 2)), places);
  }
});

Deno.test("what stands on the command line is placed at the file that sets the rest", async () => {
  const files = {
    "router.yaml": "ateapi-auth: insecure\n",
    "empty.yaml": "kind: Pod\n",
    "pod.yaml": JSON.stringify({
      kind: "Pod",
      spec: { containers: [{ name: "atenet-router", args: ["serve", "--ateapi-auth=insecure"] }] },
    }),
  };
  const rows: readonly [words: string[], env: Record<string, string>, uri: string][] = [
    [["--config=router.yaml", "--nonsense"], {}, "router.yaml"],
    [["--config=router.yaml"], { ATENET_PORT_HTTP: "x" }, "router.yaml"],
    [["--config=missing.yaml"], {}, "missing.yaml"],
    [["--manifest=pod.yaml", "--nonsense"], {}, "pod.yaml"],
    [["--manifest=empty.yaml"], {}, "empty.yaml"],
    [["--envoy-admin=http://127.0.0.1:1", "--ateapi-auth=insecure"], {}, "atenet-router"],
  ];
  for (const [words, env, uri] of rows) {
    const { stdout } = await call(["validate", "--format=sarif", ...words], { files, env });
    const places = sarifPlaces(stdout);
    assertEquals(places.length > 0, true);
    for (const place of places) assertEquals(place.split(" ")[1], `${uri}:1`, words.join(" "));
  }
});

Deno.test("a report without a configuration is a report", () => {
  const findings = { subjects: [], problems: [problem()] };
  assertEquals(reportText(findings, false).endsWith("\n1 error, 0 warnings\n"), true);
  const { ok, errors, configurations } = JSON.parse(reportJson(findings, 1));
  assertEquals([ok, errors, configurations], [false, 1, []]);
});
