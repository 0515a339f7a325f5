// `status` says how many requests failed and how, with parking off too.
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Snapshot } from "../../src/admin/snapshot.ts";
import { statusScreen } from "../../src/cli/status/screen.ts";
import { snapshot } from "./support/snapshot.ts";

const FAILING = {
  ...snapshot().last_minute,
  failed: 1_312,
  failures: [
    { outcome: "unauthenticated", count: 1_300, waited: 0 },
    { outcome: "permission_denied", count: 9, waited: 0 },
    { outcome: "deadline_exceeded", count: 2, waited: 0 },
    { outcome: "error", count: 1, waited: 0 },
  ] as const,
};

function screen(change: Partial<Snapshot>): string[] {
  return statusScreen(snapshot(change), "127.0.0.1:4040", false);
}

Deno.test("failures have a line of their own, the three most frequent by outcome", () => {
  const parking = { enabled: false, active: 0, max_parked: 0, max_wait: "0s" };
  for (const change of [{}, { parking }]) {
    const lines = screen({ ...change, last_minute: FAILING });
    assertStringIncludes(
      lines.join(" ").replace(/ +/g, " "),
      "FAILED 1,312 of 3,120 (22/s) unauthenticated 1,300 · permission_denied 9 · deadline_exceeded 2",
    );
    assert(lines.length <= 24, `${lines.length} lines`);
    for (const line of lines) assert(line.length <= 80, `too wide: ${line}`);
  }
});

Deno.test("no failures, no line", () => {
  assert(!screen({}).some((line) => line.startsWith("FAILED")));
});

Deno.test("the sentence that requests fail is red", () => {
  const summary = { kind: "failing", text: "Failing: all.", runbook: "failures" } as const;
  const lines = statusScreen(snapshot({ summary }), "127.0.0.1:4040", true);
  assertEquals(lines.at(-1), "\u001b[31m-> Failing: all.   [runbook: failures]\u001b[0m");
});

Deno.test("the document of a router that does not count failures is shown as before", () => {
  const { failed: _failed, failures: _failures, ...older } = snapshot().last_minute;
  const lines = screen({ last_minute: older as Snapshot["last_minute"] });
  assertEquals(lines, screen({}));
});
