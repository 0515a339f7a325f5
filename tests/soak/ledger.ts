// Accounts for every request of the soak exactly once: what its client saw, what the router logged
// and counted, and what Envoy logged must be one story. Pure; every flaw is a line for people.
import type { Counters } from "../../src/admin/snapshot.ts";
import type { AccessLogLine } from "../support/envoy.ts";
import type { LogLine } from "../support/router_process.ts";
import type { Trouble } from "./faults.ts";
import { BROKEN_ENDS, type End } from "./kinds.ts";
import type { Sent } from "./traffic.ts";

export interface Books {
  readonly sent: readonly Sent[];
  /** Lines of the router about requests. */
  readonly logged: readonly LogLine[];
  readonly access: readonly AccessLogLine[];
  readonly counters: Counters;
  readonly troubles: readonly Trouble[];
}

const FLAWS_SHOWN = 20;

/** A number as a path, as {@link Sent} has it. */
function numberOf(path: unknown): number {
  return Number(String(path).slice(1));
}

function byNumber<Line>(
  what: string,
  lines: readonly Line[],
  pathOf: (line: Line) => unknown,
  count: number,
  flaws: string[],
): (Line | undefined)[] {
  const found = new Array<Line | undefined>(count).fill(undefined);
  for (const line of lines) {
    const n = numberOf(pathOf(line));
    if (!(n < count)) flaws.push(`${what}: a line of nobody: ${pathOf(line)}`);
    else if (found[n] !== undefined) flaws.push(`${what}: two lines for ${n}`);
    else found[n] = line;
  }
  return found;
}

/** Was the control plane well all the time it was there? */
function calm(sent: Sent, troubles: readonly Trouble[]): boolean {
  return !troubles.some(({ fromMs, toMs }) => sent.sentMs < toMs && sent.endMs > fromMs);
}

function isOne([status, outcome]: End, ends: readonly End[]): boolean {
  return ends.some((end) => end[0] === status && end[1] === outcome);
}

/** May a request of this kind have ended so, at that time? */
function right(sent: Sent, end: End, troubles: readonly Trouble[]): boolean {
  const inTrouble = sent.kind.host === undefined && !calm(sent, troubles);
  const ends = inTrouble ? [...sent.kind.ends, ...BROKEN_ENDS] : sent.kind.ends;
  if (!sent.left) return isOne(end, ends);
  // It may have crossed its verdict.
  return end[1] === "cancelled" || ends.some(([, outcome]) => outcome === end[1]);
}

function flawOf(
  n: number,
  sent: Sent,
  log: LogLine | undefined,
  access: AccessLogLine | undefined,
  troubles: readonly Trouble[],
): string | undefined {
  const story = `${sent.kind.name} ${n}: client ${sent.left ? "left" : sent.status}, router ` +
    `${log?.["outcome"]} ${log?.["park"] ?? "not parked"} after ${log?.["attempts"]} attempts in ` +
    `${log?.["took_ms"]} ms, Envoy ${access?.status} ${access?.outcome} ` +
    `${access?.details} ${access?.flags}`;
  if (Number.isNaN(sent.endMs)) return `no end: ${story}`;
  if (log === undefined) return `not in the router's log: ${story}`;
  if (access === undefined) return `not in Envoy's log: ${story}`;
  const outcome = String(log["outcome"]);
  if (!right(sent, [sent.status, outcome], troubles)) return `ended wrongly: ${story}`;
  if (sent.left) return undefined;
  if (access.status !== sent.status) return `Envoy saw another status: ${story}`;
  return access.outcome === outcome ? undefined : `Envoy was told another outcome: ${story}`;
}

function tally(values: Iterable<unknown>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) {
    const key = String(value);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

/** The router's counters against the lines of its log. */
function counterFlaws({ counters, logged }: Books): string[] {
  const outcomes = tally(logged.map((line) => line["outcome"]));
  const parks = tally(logged.flatMap((line) => line["park"] ?? []));
  const pairs: [what: string, counted: number, logged: number][] = [
    ...Object.entries(counters.requests).map(([outcome, count]) =>
      [outcome, count, outcomes.get(outcome) ?? 0] as [string, number, number]
    ),
    ...Object.entries(counters.waits).map(([park, count]) =>
      [`wait ${park}`, count, parks.get(park) ?? 0] as [string, number, number]
    ),
    ["slots taken and given back", counters.parked, [...parks.values()].reduce((a, b) => a + b, 0)],
    ["shed", counters.shed, outcomes.get("shed") ?? 0],
  ];
  const flaws = pairs.filter(([, counted, lines]) => counted !== lines)
    .map(([what, counted, lines]) => `${what}: counted ${counted}, logged ${lines}`);
  if (counters.bugs > 0) flaws.push(`bugs: ${counters.bugs}`);
  if (counters.flights_refused > 0) flaws.push(`flights refused: ${counters.flights_refused}`);
  return flaws;
}

/** What does not add up; empty when every request is accounted for once. */
export function flawsOf(books: Books): string[] {
  const { sent, troubles } = books;
  const flaws: string[] = [];
  const logged = byNumber("router", books.logged, (line) => line["path"], sent.length, flaws);
  const access = byNumber("Envoy", books.access, ({ path }) => path, sent.length, flaws);
  sent.forEach((one, n) => {
    const flaw = flawOf(n, one, logged[n], access[n], troubles);
    if (flaw !== undefined) flaws.push(flaw);
  });
  flaws.push(...counterFlaws(books));
  const more = flaws.length - FLAWS_SHOWN;
  return more > 0 ? [...flaws.slice(0, FLAWS_SHOWN), `and ${more} more`] : flaws;
}

/** `kind: 12 × 200 ok, …`, one line a kind, for people. */
export function summaryOf({ sent, logged }: Books): string[] {
  const outcomes = new Map(logged.map((line) => [numberOf(line["path"]), line["outcome"]]));
  const kinds = [...new Set(sent.map(({ kind }) => kind.name))];
  return kinds.map((name) => {
    const ends = sent.flatMap(({ kind, status, left }, n) =>
      kind.name === name ? [`${left ? "left" : status} ${outcomes.get(n)}`] : []
    );
    const counts = [...tally(ends)].sort((a, b) => b[1] - a[1]);
    return `${name}: ${counts.map(([end, count]) => `${count} × ${end}`).join(", ")}`;
  });
}
