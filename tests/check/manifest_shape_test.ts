import { assertEquals } from "@std/assert";
import { shapeProblems } from "../../src/check/manifest_shape.ts";
import { changed, GOOD, type PodChange, read } from "./manifest_fixture.ts";

/** `what=value rule` of every problem. */
function shapes(text: string): string[] {
  return read(text).pods.flatMap(shapeProblems).map(({ kind, severity, flag, value, rule }) => {
    assertEquals([kind, severity], ["usage", "error"]);
    return `${flag}${value === undefined ? "" : `=${value}`} ${rule}`;
  });
}

Deno.test("what Kubernetes would refuse is told, and stands where it says", () => {
  const rows: readonly [change: PodChange, problems: string[]][] = [
    [() => {}, []],
    [({ router }) => router.args = "serve --x", ['args="serve --x" is not a list']],
    [({ router }) => router.command = { a: 1 }, ["command is not a list"]],
    [({ router }) => router.args = ["serve", 2048, true, null, ["x"]], [
      "args=2048 is not a text",
      "args=true is not a text",
      "args= is not a text",
      "args is not a text",
    ]],
    [({ router }) => router.env = { A: "b" }, ["env is not a list"]],
    [({ router }) => router.envFrom = "x", ['envFrom="x" is not a list']],
    [({ router }) => router.env = [{ name: "A", value: 81 }, { name: "B", value: false }], [
      "A=81 is not a text",
      "B=false is not a text",
    ]],
    [({ router }) => router.env = [{ name: "A" }, { name: "B", value: null }], []],
    [({ spec }) => spec.terminationGracePeriodSeconds = "60", [
      'terminationGracePeriodSeconds="60" is not a number',
    ]],
    [({ router }) => {
      delete router.args;
      delete router.env;
    }, []],
  ];
  for (const [change, problems] of rows) assertEquals(shapes(changed(change)), problems);
});

Deno.test("templates are not known yet, with quotes or without", () => {
  const rows: readonly [from: string, to: string][] = [
    ['- "2048"', "- {{ .Values.max }}"],
    ["value: 5s", "value: {{ .Values.budget }}"],
    ["Seconds: 60", "Seconds: {{ .Values.grace }}"],
    ["Seconds: 60", 'Seconds: "{{ .Values.grace }}"'],
  ];
  for (const [from, to] of rows) assertEquals(shapes(GOOD.replace(from, to)), [], to);
});

Deno.test("the fix of a quoted number is the number", () => {
  const [problem] = read(changed(({ spec }) => spec.terminationGracePeriodSeconds = "75")).pods
    .flatMap(shapeProblems);
  assertEquals(problem?.fix, "Write 75");
});
