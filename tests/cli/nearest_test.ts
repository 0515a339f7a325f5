import { assertEquals } from "@std/assert";
import { distance, nearest } from "../../src/cli/flags/nearest.ts";

Deno.test("distance() counts inserts, drops, replacements and swaps", () => {
  const rows: readonly [a: string, b: string, edits: number][] = [
    ["", "", 0],
    ["", "abc", 3],
    ["abc", "", 3],
    ["abc", "abc", 0],
    ["abc", "abd", 1],
    ["abc", "ab", 1],
    ["abc", "abxc", 1],
    ["abc", "acb", 1],
    ["ca", "abc", 3],
    ["reqest", "request", 1],
    ["kitten", "sitting", 3],
  ];
  for (const [a, b, edits] of rows) {
    assertEquals(distance(a, b), edits, `${a} ${b}`);
    assertEquals(distance(b, a), edits, `${b} ${a}`);
  }
});

const NAMES = ["parked-request-max", "parked-request-budget", "port-http", "port-https", "config"];

Deno.test("nearest() finds what was meant", () => {
  const rows: readonly [word: string, name: string | undefined][] = [
    ["parked-reqest-max", "parked-request-max"],
    ["parked_request_max", "parked-request-max"],
    ["PARKED-REQUEST-MAX", "parked-request-max"],
    ["budget", "parked-request-budget"],
    ["port-htps", "port-https"],
    ["port-httpss", "port-https"],
    ["confg", "config"],
    ["zzzzzz", undefined],
    ["x", undefined],
    ["", undefined],
    ["x".repeat(10_000), undefined],
  ];
  for (const [word, name] of rows) assertEquals(nearest(word, NAMES), name, word.slice(0, 40));
});

Deno.test("nearest() has nothing to say without candidates", () => {
  assertEquals(nearest("config", []), undefined);
});
