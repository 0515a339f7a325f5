// One run of the rules: collects problems and notices, and keeps the values that the rules after
// a refusal go on with. Created by flags.ts, handed to every rule, gone when the report is made.
import { parkingPolicy } from "./policy.ts";
import { assignment, type Complaint, isExplicit, settingProblem } from "./names.ts";
import type { Problem, SettingName, Settings, SourcedSettings } from "./settings.ts";
import type { ParkingPolicy } from "../engine/mod.ts";

/** Something worth a log line that refuses nothing. */
export interface Notice {
  readonly level: "info" | "warn";
  readonly setting: SettingName;
  readonly text: string;
}

/** Collects what the rules find. */
export class Checking {
  readonly sourced: SourcedSettings;
  readonly problems: Problem[] = [];
  readonly notices: Notice[] = [];
  #values: Settings;
  readonly #refused = new Set<SettingName>();

  constructor(sourced: SourcedSettings) {
    this.sourced = sourced;
    this.#values = sourced.values;
  }

  /** The values to go on with: normalised, refused ones replaced. */
  get values(): Settings {
    return this.#values;
  }

  get policy(): ParkingPolicy {
    return parkingPolicy(this.#values);
  }

  /** Was the value of this setting refused by an earlier rule? */
  isRefused(setting: SettingName): boolean {
    return this.#refused.has(setting);
  }

  isExplicit(setting: SettingName): boolean {
    return isExplicit(this.sourced, setting);
  }

  /** The setting breaks a rule; the rules after this one see `instead`. */
  refuse<S extends SettingName>(setting: S, complaint: Complaint, instead: Settings[S]): void {
    this.complain(setting, complaint);
    this.#refused.add(setting);
    this.#replace(setting, instead);
  }

  /** A problem that does not make the value unusable. */
  complain(setting: SettingName, complaint: Complaint): void {
    this.problems.push(settingProblem(this.sourced, setting, complaint));
  }

  /** Says a replacement that the specification makes by itself, and makes it. */
  normalise<S extends SettingName>(setting: S, to: Settings[S], why: string): void {
    const text = `${assignment(this.sourced, setting)} ${why}`;
    this.notices.push({ level: "info", setting, text });
    this.#replace(setting, to);
  }

  #replace<S extends SettingName>(setting: S, value: Settings[S]): void {
    this.#values = { ...this.#values, [setting]: value };
  }
}
