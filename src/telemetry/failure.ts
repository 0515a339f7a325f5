// Which verdicts are failures: neither served, nor the client's own doing, nor a wait that ran out of
// budget or a shed request (these have figures of their own). Pure. Owner: telemetry.
// Place in the flow: history.ts counts them, the sentence of the status page is drawn from the count.
import type { RouteOutcome, Verdict } from "../engine/mod.ts";

const ALWAYS: ReadonlySet<RouteOutcome> = new Set([
  "error",
  "timeout",
  "deadline_exceeded",
  "unauthenticated",
  "permission_denied",
]);
/** Refused at once: parking is off, or too many flights are open. */
const WITHOUT_WAIT: ReadonlySet<RouteOutcome> = new Set([
  "no_capacity",
  "failed_precondition",
  "conflict",
  "unavailable",
]);

export function isFailure({ outcome, park }: Pick<Verdict, "outcome" | "park">): boolean {
  if (outcome === "ok") return false;
  return ALWAYS.has(outcome) || (WITHOUT_WAIT.has(outcome) && park !== "budget_exhausted");
}
