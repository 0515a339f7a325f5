// The status of a router on one screen of 80 × 24: are we parking, why, is it getting worse.
// Pure: document in, lines out. Names that are too long are cut in the middle.
import type { Snapshot, Summary } from "../../admin/snapshot.ts";
import { failed } from "./failed.ts";
import { type Paint, paint } from "./paint.ts";
import { cutMiddle, LABEL, labelled, number, rate, seconds, uptime } from "./words.ts";

const WIDTH = 80;
const BAR = 12;
const NAME_CHARS = 24;
/** Leaves room for the longest outcome of a wait on the same line. */
const HOST_CHARS = 22;

const TONES: Readonly<Record<Summary["kind"], Paint>> = {
  healthy: "green",
  coping: "green",
  saturated: "red",
  lot_too_small: "red",
  failing: "red",
  parking_off: "yellow",
  control_plane_away: "red",
  envoy_away: "red",
  draining: "yellow",
  starting: "yellow",
};

/** One thing to say; a long one is broken between words. */
interface Row {
  readonly text: string;
  readonly tone?: Paint;
}

/** Lines without line ends. `address`: where it was asked. */
export function statusScreen(snapshot: Snapshot, address: string, colour: boolean): string[] {
  const { build, state, summary, health } = snapshot;
  const word = state.toUpperCase();
  const runbook = summary.runbook === null ? "" : `   [runbook: ${summary.runbook}]`;
  const head = `atenet-router ${build.version} @ ${address}  up ${uptime(snapshot.uptime_s)}  ` +
    `${word}  grpc-transport ${build.transport}`;
  const facts = [
    ...parking(snapshot),
    ...why(snapshot),
    ...failed(snapshot),
    ...flights(snapshot),
    ...neighbours(snapshot),
    ...drain(snapshot),
    ...queries(snapshot),
  ];
  const rows: Row[] = [
    ...facts.map((text) => ({ text })),
    ...health.problems.map((problem): Row => ({ text: `unhealthy: ${problem}`, tone: "red" })),
    { text: `-> ${summary.text}${runbook}`, tone: TONES[summary.kind] },
  ];
  const painted = paint(word, health.healthy ? "green" : "red", colour);
  return [
    ...fold(head).map((line) => line.replace(`  ${word}`, `  ${painted}`)),
    ...rows.flatMap(({ text, tone }) =>
      fold(text).map((line) => tone === undefined ? line : paint(line, tone, colour))
    ),
  ];
}

/** Breaks a line that is too wide at its last gap, so that its rest stands under its text. */
function fold(line: string): string[] {
  const lines: string[] = [];
  let rest = line;
  while (rest.length > WIDTH) {
    const gap = rest.lastIndexOf(" ", WIDTH);
    const at = gap > LABEL ? gap : WIDTH;
    lines.push(rest.slice(0, at).trimEnd());
    rest = " ".repeat(LABEL) + rest.slice(at).trimStart();
  }
  return [...lines, rest];
}

function parking({ parking, waits, last_minute: minute }: Snapshot): string[] {
  if (!parking.enabled) return [labelled("PARKING", "off: a full pool means 503 at once")];
  const share = parking.max_parked === 0 ? 0 : parking.active / parking.max_parked;
  const filled = Math.min(BAR, Math.round(share * BAR));
  const bar = `[${"#".repeat(filled)}${"-".repeat(BAR - filled)}]`;
  const full = parking.active >= parking.max_parked ? "  FULL" : "";
  const waited = minute.wait_p50_ms === null
    ? ""
    : ` (p50 ${seconds(minute.wait_p50_ms)}  p99 ${seconds(minute.wait_p99_ms ?? 0)})`;
  return [
    labelled(
      "PARKING",
      `on   ${number(parking.active)} / ${number(parking.max_parked)} ${bar}  ` +
        `${Math.round(share * 100)} %${full}   oldest ${seconds(waits.oldest_ms)} of ` +
        `${seconds(waits.budget_ms)}`,
    ),
    labelled(
      "",
      `last ${minute.seconds} s: parked ${number(minute.parked)}  served ` +
        `${number(minute.served)}${waited}`,
    ),
    labelled(
      "",
      `  budget exhausted ${number(minute.budget_exhausted)} (${
        rate(minute.budget_exhausted, minute.seconds)
      })  ` +
        `shed ${number(minute.shed)} (${rate(minute.shed, minute.seconds)})  ` +
        `canceled ${number(minute.canceled)}`,
    ),
  ];
}

function why({ last_minute: minute, waiting }: Snapshot): string[] {
  const total = minute.reasons.reduce((sum, { count }) => sum + count, 0);
  const reasons = minute.reasons.slice(0, 3).map(({ code, description, count }) => {
    const said = description === "" ? "" : ` "${cutMiddle(description, 40)}"`;
    return `${code}${said} ${Math.round(100 * count / total)} %`;
  });
  const spaces = waiting.slice(0, 3)
    .map(({ atespace, callers }) => `${cutMiddle(atespace, NAME_CHARS)} ${number(callers)}`);
  const top = spaces.length === 0 ? "" : `top waiting: ${spaces.join(" · ")}      `;
  return [
    labelled("WHY", reasons.length === 0 ? "nobody had to wait" : reasons.join("   ")),
    labelled(
      "",
      `${top}resumed ${rate(minute.resumed, minute.seconds)}   arriving ` +
        `${rate(minute.requests, minute.seconds)}`,
    ),
  ];
}

function flights({ engine, last_minute: minute, process }: Snapshot): string[] {
  const p99 = minute.attempt_p99_ms === null ? "" : ` · p99 ${seconds(minute.attempt_p99_ms)}`;
  return [
    labelled(
      "FLIGHTS",
      `${number(engine.parked)} parked · ${number(engine.resolving)} in first attempt · ` +
        `${number(engine.past_budget)} past budget`,
    ),
    labelled(
      "",
      `attempts ${number(engine.attempts_in_progress)} in progress · ` +
        `${rate(minute.attempts, minute.seconds)}${p99}      loop lag ${process.loop_lag_ms} ms`,
    ),
  ];
}

function neighbours({ control_plane: control, envoy }: Snapshot): string[] {
  const ready = control.connections.filter(({ state }) => state === "ready").length;
  const probe = control.probe === null || control.probe.ok
    ? ""
    : `, probe: ${cutMiddle(control.probe.why ?? "failed", 120)}`;
  const down = control.down_ms > 0 ? `, down for ${seconds(control.down_ms)}` : "";
  const rejected = envoy.config.filter(({ state }) => state === "rejected").length;
  const config = envoy.config.length === 0
    ? ""
    : rejected > 0
    ? `, ${rejected} configuration${rejected === 1 ? "" : "s"} REJECTED`
    : ", configuration accepted";
  const answering = envoy.admin === ""
    ? "no admin address given"
    : envoy.answering === null
    ? "not asked yet"
    : envoy.answering
    ? envoy.state ?? "answering"
    : "admin does not answer";
  return [
    labelled(
      "CONTROL",
      `${control.address}  ${ready} of ${control.connections.length} connections ready${down}${probe}`,
    ),
    labelled(
      "ENVOY",
      `${answering}, ${envoy.connections} connection${envoy.connections === 1 ? "" : "s"}, ${
        number(envoy.streams)
      } stream${envoy.streams === 1 ? "" : "s"}${config}`,
    ),
  ];
}

function drain({ drain }: Snapshot): string[] {
  if (drain === null) return [];
  const { remaining = 0, routed = 0, reset = 0 } = drain.ledger;
  return [
    labelled(
      "DRAIN",
      `step ${drain.step}, ${seconds(drain.elapsed_ms)}; ${number(remaining)} without a verdict, ` +
        `${number(routed)} routed, ${number(reset)} reset${drain.forced ? "  FORCED" : ""}`,
    ),
  ];
}

function queries({ queries }: Snapshot): string[] {
  return queries.slice(0, 5).map((query, index) => {
    const waited = query.park === null ? "" : ` ${query.park} ${seconds(query.waited_ms)}`;
    const to = query.target ?? (query.status === null ? "" : String(query.status));
    const host = cutMiddle(query.host, HOST_CHARS).padEnd(HOST_CHARS);
    return labelled(
      index === 0 ? "LAST" : "",
      `${query.time.slice(11, 19)} ${host} ${query.outcome}${waited} ${to}`,
    );
  });
}
