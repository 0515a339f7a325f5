// The report of `validate` as one JSON document. Names are those of the text, times in ms.
import type { FlagReport } from "../check/flags.ts";
import { flagName } from "../check/names.ts";
import type { Problem, SettingName } from "../check/settings.ts";
import type { Findings } from "./findings.ts";
import { harmlessJson } from "./harmless.ts";

/** The document, ended. Keys are stable; new ones may be added. `ok` is what exit code 0 says. */
export function reportJson({ problems, subjects }: Findings, code: number): string {
  const errors = problems.filter(({ severity }) => severity === "error").length;
  const document = {
    ok: code === 0,
    errors,
    warnings: problems.length - errors,
    problems: problems.map(problemJson),
    configurations: subjects.map(({ name, report }) => ({
      name,
      notes: report.notices.map(({ setting, text }) => ({ flag: flagName(setting), text })),
      derived: derivedJson(report),
      settings: settingsJson(report),
    })),
  };
  return harmlessJson(document);
}

function problemJson(problem: Problem): Record<string, unknown> {
  const { kind, id, severity, flag, value, source, variable, place, rule, reason, fix } = problem;
  return {
    severity,
    kind,
    id,
    flag,
    value,
    source,
    variable,
    file: place?.file,
    line: place?.line,
    rule,
    reason,
    fix,
  };
}

function derivedJson({ derived }: FlagReport): Record<string, unknown> {
  const { shutdown } = derived;
  return {
    parking: derived.parking,
    budget_ms: derived.budgetMs,
    breaker: derived.breaker,
    flights_max: derived.flightsMax,
    message_timeout_ms: derived.messageTimeoutMs,
    caller_limit_ms: derived.callerLimitMs,
    drain_timeout_ms: derived.drainTimeoutMs,
    shutdown_ms: {
      drain_delay: shutdown.drainDelayMs,
      envoy: shutdown.envoyMs,
      ext_proc: shutdown.drainTimeoutMs,
      close: shutdown.closeMs,
      flush: shutdown.flushMs,
      total: shutdown.totalMs,
    },
  };
}

/** Effective values: durations in ms under names that end in `_ms`. */
function settingsJson({ effective }: FlagReport): Record<string, unknown> {
  const names = Object.keys(effective.values) as SettingName[];
  return Object.fromEntries(names.map((name) => {
    const key = flagName(name).slice(2).replaceAll("-", "_") + (name.endsWith("Ms") ? "_ms" : "");
    return [key, { value: effective.values[name], source: effective.sources[name] }];
  }));
}
