// The cards of the status page, top to bottom: what a person needs first stands first. Pure.
// Place in the flow: statusz.ts puts them into a document. Owner: admin.
import { roughDuration } from "./duration.ts";
import { type Html, html, type HtmlValue, middleCut } from "./html.ts";
import type { Snapshot, Summary } from "./snapshot.ts";
import { historyChart, lotBar } from "./statusz_chart.ts";

const TONE: Readonly<Record<Summary["kind"], "good" | "warn" | "bad">> = {
  healthy: "good",
  coping: "good",
  parking_off: "warn",
  starting: "warn",
  draining: "warn",
  saturated: "bad",
  lot_too_small: "bad",
  control_plane_away: "bad",
  envoy_away: "bad",
  failing: "bad",
};

/** State word, version, uptime, host. */
export function topBar(snapshot: Snapshot): Html {
  const { build, state, health } = snapshot;
  const tone = health.healthy ? "good" : state === "serving" ? "bad" : "warn";
  return html`<header><h1>atenet-router</h1><span class="state ${tone}">${state.toUpperCase()}</span>
<span class="soft">${build.version} (${build.commit}) · up ${
    roughDuration(snapshot.uptime_s * 1000)
  } · ${snapshot.host} · ${build.transport} · ${snapshot.time}</span></header>`;
}

/** The sentence, and what is unhealthy. */
export function sentence({ summary, health }: Snapshot): Html {
  const runbook = summary.runbook === null ? "" : html`
    <span class="soft">runbook: ${summary.runbook}</span>
  `;
  const problems = health.problems.map((problem) => html`<p class="bad">Unhealthy: ${problem}</p>`);
  return html`<p class="sentence ${TONE[summary.kind]}">${summary.text}${runbook}</p>${problems}`;
}

export function parkingCard({ parking, waits, engine, waiting }: Snapshot): Html {
  const oldest = `${(waits.oldest_ms / 1000).toFixed(1)} s of ${waits.budget_ms / 1000} s`;
  const top = waiting.map(({ atespace, callers }, at) =>
    html`${at > 0 ? " · " : ""}${middleCut(atespace, 16)} ${callers}`
  );
  return html`<section id="parking"><h2>Request Parking</h2>${lotBar(parking)}${
    figures([
      ["enabled", parking.enabled ? "yes" : "no"],
      ["active / max", `${parking.active} / ${parking.max_parked}`],
      ["max wait", parking.max_wait],
      ["oldest", oldest],
      ["flights", `${engine.parked} parked, ${engine.resolving} in first attempt`],
      ["attempts in progress", engine.attempts_in_progress],
      ["past budget", engine.past_budget],
      ["top waiting", top.length === 0 ? "—" : top],
    ])
  }</section>`;
}

export function minuteCard({ last_minute: minute, history, counters }: Snapshot): Html {
  const reasons = minute.reasons.map(({ code, description, count }) =>
    html`
      <tr>
        <td>${code}</td>
        <td class="n">${count}</td>
        <td class="wrap">${description}</td>
      </tr>
    `
  );
  const failures = minute.failures.map(({ outcome, count }) =>
    html`
      <tr>
        <td>${outcome}</td>
        <td class="n">${count}</td>
      </tr>
    `
  );
  return html`
    <section
      id="minute"><h2>Last ${minute.seconds} s and last 10 minutes</h2>${figures([
        ["requests", minute.requests],
        ["failed", minute.failed],
        ["parked", minute.parked],
        ["served", minute.served],
        ["wait p50 / p99", `${ms(minute.wait_p50_ms)} / ${ms(minute.wait_p99_ms)}`],
        ["budget exhausted", minute.budget_exhausted],
        ["shed", minute.shed],
        ["canceled", minute.canceled],
        ["resumed", minute.resumed],
        ["attempts, p99", `${minute.attempts}, ${ms(minute.attempt_p99_ms)}`],
        ["shed since start", counters.shed],
      ])}${historyChart(history)}${reasons.length === 0
        ? ""
        : table(["why requests waited", "#answers", "in its words"], reasons)}${failures.length ===
          0
        ? ""
        : table(["how requests failed", "#requests"], failures)}</section>
  `;
}

export function neighboursCard({ control_plane, envoy }: Snapshot): Html {
  const connections = control_plane.connections.map(({ address, state, queued, error }) =>
    html`
      <tr>
        <td>${address}</td>
        <td class="${state === "ready" ? "good" : "bad"}">${state}</td>
        <td class="n ${queued > 0 ? "warn" : ""}">${queued}</td>
        <td class="wrap">${error}</td>
      </tr>
    `
  );
  const config = envoy.config.map((row) =>
    html`
      <tr>
        <td>${row.envoy}</td>
        <td>${row.type}</td>
        <td>${row.version}</td>
        <td class="${row.state === "rejected" ? "bad" : ""}">${row.state}</td>
        <td>${row.in_use}</td>
        <td class="wrap">${row.error}</td>
      </tr>
    `
  );
  const probe = control_plane.probe;
  const answers = envoy.answering === null ? "not asked" : envoy.answering ? "yes" : "no";
  return html`<section id="neighbours"><h2>Control plane</h2>${
    figures([
      ["address", control_plane.address],
      ["authentication", control_plane.auth],
      ["down for", ms(control_plane.down_ms)],
      [
        "last probe",
        probe === null ? "none yet" : probe.ok ? `ok, ${probe.took_ms} ms` : probe.why,
      ],
    ])
  }${table(["connection", "state", "#queued", "last error"], connections)}</section>
<section id="envoy"><h2>Envoy</h2>${
    figures([
      ["admin", envoy.admin || "none"],
      ["answers", answers],
      ["state", envoy.state ?? "—"],
      ["connections", envoy.connections],
      ["streams", envoy.streams],
    ])
  }${
    config.length === 0
      ? ""
      : table(["Envoy", "configuration", "version", "state", "in use", "error"], config)
  }</section>`;
}

export function drainCard({ drain }: Snapshot): Html {
  if (!drain) return html``;
  const ledger = Object.entries(drain.ledger).map(([name, count]): [string, number] => [
    name.replaceAll("_", " "),
    count,
  ]);
  return html`<section id="drain"><h2>Shutdown</h2>${
    figures([["step", drain.step], ["for", ms(drain.elapsed_ms)], ...ledger])
  }</section>`;
}

export function figures(rows: readonly (readonly [string, HtmlValue])[]): Html {
  return html`<dl class="figures">${
    rows.map(([name, value]) =>
      html`
        <div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>
      `
    )
  }</dl>`;
}

/** Columns whose name begins with `#` are numbers, aligned right. */
export function table(columns: readonly string[], rows: readonly Html[]): Html {
  const head = columns.map((name) =>
    name.startsWith("#") ? html`<th class="n">${name.slice(1)}</th>` : html`<th>${name}</th>`
  );
  return html`
    <div class="table">
      <table>
        <thead>
          <tr>${head}</tr>
        </thead>
        <tbody>${rows}</tbody>
      </table>
    </div>
  `;
}

/** Times for people: `12 ms`, `3.4 s`. */
export function ms(value: number | null): string {
  if (value === null) return "—";
  return value < 1000 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(1)} s`;
}
