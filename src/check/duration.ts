// Durations as Go writes them (`300ms`, `1.5s`, `2m`, `1h30m`): text -> ms and back.
// Lives beside the rules, because messages of both the rules and the command line show durations.
// Exact to the nanosecond: sums are integers of nanoseconds (24h = 8.64e13 fits a double).

/** The longest duration that is taken. */
export const DURATION_MAX_MS = 24 * 3_600_000;

const UNIT_NS: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  "µs": 1e3,
  "μs": 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
};
const TERM = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/y;
const BARE_NUMBER = /^[-+]?(\d+(\.\d*)?|\.\d+)$/;

/** A parsed duration in ms, or why the text is none. */
export type ParsedDuration =
  | { readonly ok: true; readonly ms: number }
  | { readonly ok: false; readonly why: string; readonly fix: string };

const FORMS = "Write it like 300ms, 1.5s, 2m or 1h30m";

/** Parses a Go-style duration; a bare `0` needs no unit, every other number does. */
export function parseDuration(text: string): ParsedDuration {
  if (/^[-+]?0+$/.test(text)) return { ok: true, ms: 0 };
  if (BARE_NUMBER.test(text)) {
    return { ok: false, why: "has no unit", fix: `Write ${text}s or ${text}ms` };
  }
  const negative = text.startsWith("-");
  const body = /^[-+]/.test(text) ? text.slice(1) : text;
  const ns = sumNs(body);
  if (ns === undefined) return { ok: false, why: "is not a duration", fix: FORMS };
  const ms = ns / 1e6;
  if (ms > DURATION_MAX_MS) {
    return { ok: false, why: "is longer than 24h", fix: "Write 24h or less" };
  }
  return { ok: true, ms: negative && ms !== 0 ? -ms : ms };
}

/** Sum of all terms in whole ns; undefined when the text is not only terms. */
function sumNs(body: string): number | undefined {
  if (body === "" || body.length > 64) return undefined;
  TERM.lastIndex = 0;
  let total = 0;
  let end = 0;
  while (end < body.length) {
    const match = TERM.exec(body);
    if (match === null) return undefined;
    total += termNs(match[1] ?? "", UNIT_NS[match[2] ?? ""] ?? NaN);
    end = TERM.lastIndex;
  }
  return total;
}

/** Whole and fraction apart, so that 1.1s is 1,100,000,000 ns and not one less. */
function termNs(number: string, unitNs: number): number {
  const [whole = "", fraction = ""] = number.split(".");
  const fractionNs = fraction === "" ? 0 : Number(`0.${fraction}`) * unitNs;
  return Number(whole || "0") * unitNs + Math.round(fractionNs);
}

/**
 * The shortest way to write `ms` that {@link parseDuration} reads back: `300ms`, `1.5s`, `76s`,
 * `2m`, `1h30m`. Seconds are kept up to two minutes, because sums of them are compared.
 */
export function formatDuration(ms: number): string {
  if (ms === 0) return "0s";
  if (ms < 0) return `-${formatDuration(-ms)}`;
  const ns = Math.round(ms * 1e6);
  if (ns < 1e3) return `${ns}ns`;
  if (ns < 1e6) return `${ns / 1e3}us`;
  if (ns < 1e9) return `${ns / 1e6}ms`;
  if (ns < 120e9) return `${ns / 1e9}s`;
  const hours = Math.floor(ns / 3600e9);
  const minutes = Math.floor((ns % 3600e9) / 60e9);
  // Never with an exponent, which no duration has.
  const seconds = ((ns % 60e9) / 1e9).toFixed(9).replace(/\.?0+$/, "");
  return [[String(hours), "h"], [String(minutes), "m"], [seconds, "s"]]
    .filter(([count]) => count !== "0").map((part) => part.join("")).join("");
}
