// What a rule has to say about a place of a file or of a live configuration, before it is a problem
// of the report. Made by the rules over pods and Envoy configurations; see *_findings.ts.
import type { RuleId } from "./rules.ts";
import type { Place, Problem } from "./settings.ts";

export interface Complaint {
  readonly id: RuleId;
  /** Absent = an error. */
  readonly severity?: "error" | "warning";
  /** Name of the field or the part. */
  readonly what: string;
  /** Undefined when the field is not there. */
  readonly value?: string | undefined;
  readonly rule: string;
  readonly reason: string;
  readonly fix: string;
}

/** @param flag how the report names the field. */
export function problemOf(
  { what: _, value, severity = "error", ...rest }: Complaint,
  flag: string,
  place: Place | undefined,
): Problem {
  return {
    kind: "rule",
    severity,
    flag,
    ...(value === undefined ? {} : { value }),
    ...(place === undefined ? {} : { place }),
    ...rest,
  };
}
