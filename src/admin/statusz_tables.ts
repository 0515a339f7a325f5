// The long tables of the status page: flights, last queries, configuration. Pure. Owner: admin.
import { type Html, html, middleCut } from "./html.ts";
import type { FlightRow, QueryRow, SettingRow, Snapshot } from "./snapshot.ts";
import { figures, ms, table } from "./statusz_cards.ts";

export function flightsCard({ flights, engine }: Snapshot): Html {
  const more = engine.flights > flights.length ? ` (oldest ${flights.length})` : "";
  return html`<section id="flights"><h2>Flights ${engine.flights}${more}</h2>${
    flights.length === 0 ? html`<p class="soft">No resume is in progress.</p>` : table(
      ["actor", "state", "#age", "#attempts", "#callers", "last answer"],
      flights.map(flight),
    )
  }</section>`;
}

function flight(row: FlightRow): Html {
  return html`
    <tr>
      <td>${middleCut(`${row.actor}.${row.atespace}`)}</td>
      <td>${row.state}</td>
      <td class="n">${ms(row.age_ms)}</td>
      <td class="n">${row.attempts}</td>
      <td class="n">${row.callers}</td>
      <td>${row.last}</td>
    </tr>
  `;
}

export function queriesCard({ queries }: Snapshot): Html {
  const columns = ["time", "host", "path", "outcome", "#waited", "#took", "#attempts", "answer"];
  return html`<section id="queries"><h2>Last queries</h2>${
    queries.length === 0 ? html`<p class="soft">None yet.</p>` : table(columns, queries.map(query))
  }</section>`;
}

function query(row: QueryRow): Html {
  const tone = row.outcome === "ok" ? "good" : row.outcome === "cancelled" ? "warn" : "bad";
  const outcome = row.park === null ? row.outcome : `${row.outcome} (parked: ${row.park})`;
  return html`
    <tr>
      <td>${row.time.slice(11, 23)}</td>
      <td>${middleCut(row.host)}</td>
      <td>${middleCut(row.path, 40)}</td>
      <td class="${tone}">${outcome}</td>
      <td class="n">${row.park === null ? "" : ms(row.waited_ms)}</td>
      <td class="n">${ms(row.took_ms)}</td>
      <td class="n">${row.attempts}</td>
      <td>${row.target ?? row.status}</td>
    </tr>
  `;
}

export function settingsCard({ settings, telemetry, process, build, pid }: Snapshot): Html {
  const rows = settings.map((row: SettingRow) =>
    html`
      <tr>
        <td>--${row.flag}</td>
        <td class="wrap">${row.value}</td>
        <td>${row.source}</td>
      </tr>
    `
  );
  return html`
    <section id="process"><h2>Process and telemetry</h2>${figures([
      ["telemetry", telemetry.on ? "on" : "OFF"],
      ["Prometheus page", telemetry.prometheus ?? "off"],
      ["OTLP", telemetry.otlp ?? "off"],
      ["traces", telemetry.traces ? "on" : "off"],
      ["log level", telemetry.log_level],
      ["log lines dropped", telemetry.log_lines_dropped],
      ["memory", `${Math.round(process.rss_bytes / 1e6)} MB`],
      ["loop lag", ms(process.loop_lag_ms)],
      ["runtime", build.runtime],
      ["pid", pid],
    ])}</section>
    <section id="settings">
      <details><summary>Configuration</summary>${table(["flag", "value", "source"], rows)}</details>
    </section>
  `;
}
