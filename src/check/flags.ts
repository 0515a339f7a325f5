// The rules over the settings, all of them at once: what `serve` refuses to start with and
// `validate` reports. Pure: settings in, report out; no file is read, nothing is bound.
import { Checking, type Notice } from "./checking.ts";
import { checkControlPlane } from "./control_plane_rules.ts";
import { derive, type Derived } from "./derived.ts";
import { checkEnvoyFlags } from "./envoy_rules.ts";
import { checkListeners } from "./listener_rules.ts";
import { checkParking } from "./parking_rules.ts";
import type { Problem, SourcedSettings } from "./settings.ts";
import { checkShutdown, drainNote } from "./shutdown_rules.ts";

export interface FlagReport {
  /** In the order of the flag table's groups. */
  readonly problems: readonly Problem[];
  /** Values that were replaced without being refused. */
  readonly notices: readonly Notice[];
  /** Normalised, refused values replaced. What the router runs with when there is no error. */
  readonly effective: SourcedSettings;
  readonly derived: Derived;
  /** What a sum says about its ext_proc part when --drain-timeout was refused. */
  readonly drainNote?: string;
}

/** Checks every rule. A refused value is replaced for the rules after it. */
export function checkFlags(sourced: SourcedSettings): FlagReport {
  const checking = new Checking(sourced);
  checkParking(checking);
  checkShutdown(checking);
  checkListeners(checking);
  checkControlPlane(checking);
  checkEnvoyFlags(checking);
  const note = drainNote(checking);
  return {
    problems: checking.problems,
    notices: checking.notices,
    effective: { ...sourced, values: checking.values },
    derived: derive(checking.values),
    ...(note === undefined ? {} : { drainNote: note }),
  };
}
