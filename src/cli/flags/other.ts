// Flags of the group Other.
import type { SettingFlag } from "./spec.ts";

export const OTHER_FLAGS: readonly SettingFlag[] = [
  {
    name: "log-level",
    group: "Other",
    setting: "logLevel",
    form: { kind: "choice", values: ["debug", "info", "warn", "error"] },
    fallback: "info",
    help: "debug, info, warn or error",
  },
  {
    name: "actor-domain",
    group: "Other",
    setting: "actorDomain",
    form: { kind: "name" },
    fallback: "actors.resources.substrate.ate.dev",
    help: "what follows <actor>.<atespace>. in a host",
  },
];
