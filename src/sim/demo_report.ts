// The demo's table: the same burst with parking off and on, and whether it shows what it should.
// Pure: from counted outcomes to words. Used by demo.ts.
import type { Outcome } from "./burst.ts";
import { percentile } from "./percentile.ts";

/** One burst, counted. */
export interface Tally {
  readonly requests: number;
  readonly ok: number;
  readonly unavailable: number;
  /** Other statuses, requests without an answer, and 200s from a wrong worker. */
  readonly other: number;
  /** Time to the answer of every answered request, ascending. */
  readonly waitsMs: readonly number[];
  /** Requests that held a slot of the parking lot, as the router counted. */
  readonly parked: number;
  /** Resumes that ran, as the control plane counted. */
  readonly resumes: number;
  /** One body of a 503; empty when there was none. */
  readonly said: string;
  /** One example of `other`; empty when there was none. */
  readonly odd: string;
}

/** Counts a burst. */
export function tally(
  outcomes: readonly Outcome[],
  counted: { readonly parked: number; readonly resumes: number },
): Tally {
  const answered = outcomes.filter((one) => one.kind === "answered");
  const ok = answered.filter((one) => one.rightWorker);
  const unavailable = answered.filter((one) => one.status === 503);
  const odd = outcomes.find((one) =>
    one.kind === "failed" || (!one.rightWorker && one.status !== 503)
  );
  return {
    requests: outcomes.length,
    ok: ok.length,
    unavailable: unavailable.length,
    other: outcomes.length - ok.length - unavailable.length,
    waitsMs: answered.map((one) => one.waitMs).sort((a, b) => a - b),
    ...counted,
    said: unavailable[0]?.body ?? "",
    odd: odd === undefined ? "" : oddity(odd),
  };
}

function oddity(outcome: Outcome): string {
  return outcome.kind === "failed" ? outcome.why : `${outcome.status} ${outcome.body}`;
}

const HEAD = ["", "200", "503", "other", "wait p50", "p99", "max", "parked", "resumes"];
const WIDTHS = [15, 5, 5, 7, 10, 9, 9, 8, 9];

/** The table, one line a row, and what the 503s said. */
export function table(off: Tally, on: Tally): string[] {
  const lines = [row(HEAD), row(cells("parking off", off)), row(cells("parking on", on))];
  if (off.said !== "") lines.push(`    a 503 said: ${off.said}`);
  return lines;
}

function cells(name: string, one: Tally): string[] {
  const wait = (share: number) =>
    one.waitsMs.length === 0 ? "-" : seconds(percentile(one.waitsMs, share));
  return [
    name,
    ...[one.ok, one.unavailable, one.other].map(String),
    ...[0.5, 0.99, 1].map(wait),
    ...[one.parked, one.resumes].map(String),
  ];
}

function row(texts: readonly string[]): string {
  const [name = "", ...rest] = texts;
  const columns = rest.map((text, i) => text.padStart(WIDTHS[i + 1] ?? 0));
  return `    ${name.padEnd(WIDTHS[0] ?? 0)}${columns.join("")}`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}

/** What the table should show and does not; empty = it shows what parking is for. */
export function shortcomings(off: Tally, on: Tally): string[] {
  const problems: string[] = [];
  if (off.unavailable === 0) problems.push("no request got 503 with parking off");
  if (on.unavailable > 0) problems.push(`${on.unavailable} requests got 503 with parking on`);
  for (const [name, one] of [["off", off], ["on", on]] as const) {
    if (one.other > 0) {
      problems.push(`${one.other} requests ended otherwise with parking ${name}: ${one.odd}`);
    }
  }
  if (on.parked === 0) problems.push("no request was parked with parking on");
  return problems;
}
