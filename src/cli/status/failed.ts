// The line of the status screen that says how many requests failed, and how. Pure.
import type { Snapshot } from "../../admin/snapshot.ts";
import { labelled, number, rate } from "./words.ts";

const OUTCOMES_MAX = 3;

/** Nothing when no request failed. An older router does not say. */
export function failed(
  { last_minute: { failed = 0, failures = [], requests, seconds } }: Snapshot,
): string[] {
  if (failed === 0) return [];
  const how = failures.slice(0, OUTCOMES_MAX).map(({ outcome, count }) =>
    `${outcome} ${number(count)}`
  );
  return [
    labelled(
      "FAILED",
      `${number(failed)} of ${number(requests)} (${rate(failed, seconds)})   ${how.join(" · ")}`,
    ),
  ];
}
