// What `validate` found, for every form of its report.
import type { FlagReport } from "../check/flags.ts";
import type { Problem } from "../check/settings.ts";

/** One configuration of a router. */
export interface Subject {
  /** `flags`, or `Deployment/atenet-router` of a manifest. */
  readonly name: string;
  readonly report: FlagReport;
}

export interface Findings {
  /** None when a manifest holds no router. */
  readonly subjects: readonly Subject[];
  /** Each once, in the order they were found. */
  readonly problems: readonly Problem[];
}
