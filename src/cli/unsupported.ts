// Flags whose part is not built yet: accepted at their default, refused with any other value. The
// one list of them; it shrinks with every part.
import { isExplicit, settingProblem } from "../check/names.ts";
import type { Problem, SettingName, SourcedSettings } from "../check/settings.ts";
import { defaultSettings } from "./flags/layers.ts";

export const UNSUPPORTED: readonly SettingName[] = [];

/** One problem per flag of the list that was set to something else than its default. */
export function unsupportedProblems(
  sourced: SourcedSettings,
  list: readonly SettingName[] = UNSUPPORTED,
): Problem[] {
  const defaults = defaultSettings();
  return list
    .filter((name) => isExplicit(sourced, name) && sourced.values[name] !== defaults[name])
    .map((name) => ({
      ...settingProblem(sourced, name, {
        id: "unsupported-flag",
        rule: "is not supported by this version",
        reason: "The part it configures is not built yet",
        fix: "Leave the flag out",
      }),
      kind: "usage",
    }));
}
