// Settings for rule tests: defaults with a control plane that needs no files, and what a row sets.
import type {
  Origin,
  SettingName,
  Settings,
  Source,
  SourcedSettings,
} from "../../src/check/settings.ts";
import { defaultSettings } from "../../src/cli/flags/layers.ts";

/** The rows' values count as given on the command line. */
export function settingsOf(
  explicit: Partial<Settings>,
  origins: Partial<Record<SettingName, Origin>> = {},
): SourcedSettings {
  const values = { ...defaultSettings(), ateapiAuth: "insecure" as const, ...explicit };
  const sources = Object.fromEntries(
    Object.keys(values).map((name): [string, Source] => [
      name,
      name in explicit ? "command line" : "default",
    ]),
  );
  return { values, sources: sources as Record<SettingName, Source>, origins };
}
