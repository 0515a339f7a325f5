// What the status page is fed with: every room's view of itself, gathered. Owner: app.
import process from "node:process";
import type { SnapshotSources } from "../admin/sources.ts";
import type { SettingRow } from "../admin/snapshot.ts";
import type { ProcessUse } from "../telemetry/state_metrics.ts";
import type { SourcedSettings } from "../check/settings.ts";
import { flagName, shown } from "../check/names.ts";
import type { SettingName } from "../check/settings.ts";

/** The effective settings with their sources, in the order of the flag table. */
export function settingRows(sourced: SourcedSettings): SettingRow[] {
  const names = Object.keys(sourced.values) as SettingName[];
  return names.map((name) => ({
    flag: flagName(name).replace(/^--/, ""),
    value: shown(name, sourced.values[name]),
    source: sourced.sources[name],
  }));
}

/** The process as the status page shows it. */
export function processView(loopLagMs: number): ReturnType<SnapshotSources["process"]> {
  const { rss, heapUsed } = Deno.memoryUsage();
  return { host: hostname(), pid: Deno.pid, rssBytes: rss, heapBytes: heapUsed, loopLagMs };
}

/** A container may forbid even this question; the page then says so. */
export function hostname(): string {
  try {
    return Deno.hostname();
  } catch {
    return "unknown";
  }
}

/** The process as metrics show it. */
export function processUse(uptimeMs: number): ProcessUse {
  const { rss, heapUsed } = Deno.memoryUsage();
  const { user, system } = process.cpuUsage();
  return { cpuMs: (user + system) / 1000, rssBytes: rss, heapBytes: heapUsed, uptimeMs };
}

/** The OTEL_* variables of the process. */
export function otelEnvironment(): Record<string, string> {
  const all = Object.entries(Deno.env.toObject());
  return Object.fromEntries(all.filter(([name]) => name.startsWith("OTEL_")));
}
