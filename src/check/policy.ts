// The parking policy inside the settings, under the engine's names.
import type { ParkingPolicy } from "../engine/mod.ts";
import type { SettingName, Settings } from "./settings.ts";

/** Which setting carries which field of the policy. */
export const POLICY_SETTINGS = {
  budgetMs: "parkedRequestBudgetMs",
  max: "parkedRequestMax",
  retryIntervalMs: "parkedRequestRetryIntervalMs",
  retryFactor: "parkedRequestRetryFactor",
  retryJitter: "parkedRequestRetryJitter",
  lastChance: "parkedRequestLastChance",
} as const satisfies Record<keyof ParkingPolicy, SettingName>;

/** The policy as set: not normalised, not checked. */
export function parkingPolicy(values: Settings): ParkingPolicy {
  return {
    budgetMs: values.parkedRequestBudgetMs,
    max: values.parkedRequestMax,
    retryIntervalMs: values.parkedRequestRetryIntervalMs,
    retryFactor: values.parkedRequestRetryFactor,
    retryJitter: values.parkedRequestRetryJitter,
    lastChance: values.parkedRequestLastChance,
  };
}
