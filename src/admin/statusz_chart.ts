// The drawings of the status page as inline SVG: the bar of the lot, the lines of the last ten
// minutes. Owner: admin. No script, no style attributes: the page's policy allows neither.
import { type Html, html } from "./html.ts";
import type { History, HistoryPoint, ParkingCard } from "./snapshot.ts";

const WIDTH = 600;
const HEIGHT = 100;
/** Points of a full history: fewer are drawn at the right end. */
const POINTS = 60;

const LINES: readonly (readonly [keyof HistoryPoint, string, string])[] = [
  ["parked", "parked", "parked"],
  ["served", "served", "served"],
  ["budget_exhausted", "exhausted", "budget exhausted"],
  ["shed", "shed", "shed"],
  ["failed", "failed", "failed"],
];

/** Slots taken of all slots. */
export function lotBar({ active, max_parked }: ParkingCard): Html {
  const share = max_parked === 0 ? 0 : Math.min(1, active / max_parked);
  const level = share >= 1 ? "full" : share > 0.8 ? "high" : "used";
  const percent = Math.round(share * 1000) / 10;
  return html`
    <svg class="bar" role="img" aria-label="${active} of ${max_parked} slots taken">
      <rect width="100%" height="100%" rx="4" />
      <rect class="${level}" width="${percent}%" height="100%" rx="4" />
    </svg>
  `;
}

/** Requests parked, served, exhausted, shed and failed per slot of time. */
export function historyChart({ points, slot_s }: History): Html {
  const top = Math.max(1, ...points.flatMap((point) => LINES.map(([key]) => point[key])));
  const minutes = Math.round((POINTS * slot_s) / 60);
  const lines = LINES.map(([key, name]) =>
    html`
      <polyline class="${name}" points="${polyline(points, key, top)}" />
    `
  );
  return html`
    <svg class="chart" role="img" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none"
      aria-label="Requests per ${slot_s} s in the last ${minutes} minutes">
    <line class="grid" x1="0" y1="1" x2="${WIDTH}" y2="1"/><line class="grid" x1="0" y1="${HEIGHT -
      1}" x2="${WIDTH}" y2="${HEIGHT - 1}"/>
    ${lines}</svg>
    <p
      class="soft">last ${minutes} minutes, requests per ${slot_s} s, top of the chart = ${top}</p>
    <ul class="legend">${LINES.map(([key, name, label]) => legend(points, key, name, label))}</ul>
  `;
}

function polyline(points: readonly HistoryPoint[], key: keyof HistoryPoint, top: number): string {
  const step = WIDTH / (POINTS - 1);
  const first = POINTS - points.length;
  return points.map((point, at) => {
    const x = round((first + at) * step);
    const y = round(HEIGHT - 2 - (point[key] / top) * (HEIGHT - 4));
    return `${x},${y}`;
  }).join(" ");
}

function legend(
  points: readonly HistoryPoint[],
  key: keyof HistoryPoint,
  name: string,
  label: string,
): Html {
  const total = points.reduce((sum, point) => sum + point[key], 0);
  return html`<li><svg viewBox="0 0 20 6" aria-hidden="true"><line class="${name}" stroke-width="3" x1="0" y1="3" x2="20" y2="3"/></svg> ${label} ${
    total.toLocaleString("en-US")
  }</li>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
