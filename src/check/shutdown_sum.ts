// How long a shutdown may take, part by part: what must fit terminationGracePeriodSeconds.
import { drainTimeoutMs } from "../engine/mod.ts";
import { formatDuration } from "./duration.ts";
import { parkingPolicy } from "./policy.ts";
import type { Settings } from "./settings.ts";

/** Longest wait for Envoy to drain; no Envoy to drain, no wait. */
export const ENVOY_DRAIN_MAX_MS = 15_000;
/** Longest wait for Envoy to close its connections before ours are closed. */
export const CLOSE_MAX_MS = 1_000;
/** Longest flush of telemetry. */
export const FLUSH_MAX_MS = 2_000;

export interface ShutdownSum {
  readonly drainDelayMs: number;
  readonly envoyMs: number;
  readonly drainTimeoutMs: number;
  readonly closeMs: number;
  readonly flushMs: number;
  readonly totalMs: number;
}

/** The bound of every step and of all together. */
export function shutdownSum(values: Settings): ShutdownSum {
  const parts = {
    drainDelayMs: values.drainDelayMs,
    envoyMs: values.envoyAdminAddress === "" ? 0 : ENVOY_DRAIN_MAX_MS,
    drainTimeoutMs: drainTimeoutMs(parkingPolicy(values), values.drainTimeoutMs),
    closeMs: CLOSE_MAX_MS,
    flushMs: FLUSH_MAX_MS,
  };
  const totalMs = Object.values(parts).reduce((sum, ms) => sum + ms, 0);
  return { ...parts, totalMs };
}

/**
 * `13s drain delay + 15s Envoy + 20s ext_proc drain + 3s = 51s`.
 * @param drainNote said after the ext_proc part, e.g. `derived, since 20s is refused`.
 */
export function spellSum(sum: ShutdownSum, drainNote?: string): string {
  const note = drainNote === undefined ? "" : ` (${drainNote})`;
  const parts = [
    `${formatDuration(sum.drainDelayMs)} drain delay`,
    ...(sum.envoyMs === 0 ? [] : [`${formatDuration(sum.envoyMs)} Envoy`]),
    `${formatDuration(sum.drainTimeoutMs)} ext_proc drain${note}`,
    formatDuration(sum.closeMs + sum.flushMs),
  ];
  return `${parts.join(" + ")} = ${formatDuration(sum.totalMs)}`;
}

/** The next full ten seconds: a grace period to recommend, in s. */
export function graceSeconds(sum: ShutdownSum): number {
  return Math.ceil(sum.totalMs / 10_000) * 10;
}
