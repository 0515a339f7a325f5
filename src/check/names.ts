// How a setting is called and shown in messages. The flag's name follows from the setting's
// (`drainDelayMs` -> `--drain-delay`); a test holds the flag table to that.
import { formatDuration } from "./duration.ts";
import type { RuleId } from "./rules.ts";
import type { Problem, SettingName, SourcedSettings } from "./settings.ts";

/** `--parked-request-budget` for `parkedRequestBudgetMs`. */
export function flagName(setting: SettingName): string {
  const words = setting.replace(/Ms$/, "").replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`);
  return `--${words}`;
}

/** A value in the form a user would write it. */
export function shown(setting: SettingName, value: string | number | boolean): string {
  return setting.endsWith("Ms") && typeof value === "number"
    ? formatDuration(value)
    : String(value);
}

/** The value of a setting as it was written, or in the canonical form for defaults. */
export function written(sourced: SourcedSettings, setting: SettingName): string {
  return sourced.origins?.[setting]?.text ?? shown(setting, sourced.values[setting]);
}

/** `--flag=value` as it was written. */
export function assignment(sourced: SourcedSettings, setting: SettingName): string {
  return `${flagName(setting)}=${written(sourced, setting)}`;
}

/** Did somebody set it, to whatever value? */
export function isExplicit(sourced: SourcedSettings, setting: SettingName): boolean {
  return sourced.sources[setting] !== "default";
}

/** What a rule has to say about a setting. */
export interface Complaint {
  readonly id: RuleId;
  readonly severity?: "error" | "warning";
  readonly rule: string;
  readonly reason: string;
  readonly fix: string;
}

/** A {@link Problem} about one setting, with value and origin filled in. */
export function settingProblem(
  sourced: SourcedSettings,
  setting: SettingName,
  complaint: Complaint,
): Problem {
  const origin = sourced.origins?.[setting];
  return {
    kind: "rule",
    id: complaint.id,
    severity: complaint.severity ?? "error",
    flag: flagName(setting),
    value: written(sourced, setting),
    source: sourced.sources[setting],
    ...(origin?.variable === undefined ? {} : { variable: origin.variable }),
    ...(origin?.place === undefined ? {} : { place: origin.place }),
    rule: complaint.rule,
    reason: complaint.reason,
    fix: complaint.fix,
  };
}
