// Flags of the group Shutdown.
import type { SettingFlag } from "./spec.ts";

export const SHUTDOWN_FLAGS: readonly SettingFlag[] = [
  {
    name: "drain-delay",
    group: "Shutdown",
    setting: "drainDelayMs",
    form: { kind: "duration" },
    fallback: "13s",
    help: "go on serving this long after SIGTERM, unready",
    more: "Time for load balancers to notice.",
  },
  {
    name: "drain-timeout",
    group: "Shutdown",
    setting: "drainTimeoutMs",
    form: { kind: "duration" },
    fallback: "0",
    help: "bound on finishing ext_proc streams; 0 derives it",
    more: "Derived: budget + 10s + 5s with parking on, 20s with parking off. Streams still open " +
      "at its end are reset.",
  },
  {
    name: "envoy-admin-address",
    group: "Shutdown",
    setting: "envoyAdminAddress",
    form: { kind: "address" },
    fallback: "127.0.0.1:9901",
    help: "Envoy's admin, to drain it first; empty = none",
    empty: "no Envoy to drain",
  },
  {
    name: "drain-complete-file",
    group: "Shutdown",
    setting: "drainCompleteFile",
    form: { kind: "path" },
    fallback: "",
    help: "file written when the drain is complete",
    more: "Removed at start. For a preStop hook of Envoy that waits for it.",
  },
  {
    name: "termination-grace-period",
    group: "Shutdown",
    setting: "terminationGracePeriodMs",
    form: { kind: "duration" },
    fallback: "0",
    help: "the pod's grace period, to check the shutdown against; 0 = unknown",
    more: "When given, a shutdown sequence that may take longer is refused.",
  },
];
