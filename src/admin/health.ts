// Healthy or not, and why: the rule behind `status` and its exit code. Owner: admin.
import type { ReadinessWord } from "./readiness.ts";
import type { EnvoyStatus, Health } from "./snapshot.ts";

const CONTROL_PLANE_DOWN_MS_MAX = 5_000;

export interface HealthFacts {
  readonly ready: boolean;
  readonly state: ReadinessWord;
  readonly controlPlaneDownMs: number;
  readonly envoy: Pick<EnvoyStatus, "admin" | "answering">;
}

/** A full lot is healthy: that is what it is for. */
export function healthOf(facts: HealthFacts): Health {
  const problems: string[] = [];
  if (!facts.ready) problems.push(facts.state === "draining" ? "draining" : "not ready yet");
  if (facts.controlPlaneDownMs > CONTROL_PLANE_DOWN_MS_MAX) {
    const seconds = Math.round(facts.controlPlaneDownMs / 1000);
    problems.push(`no control-plane connection for ${seconds} s`);
  }
  if (facts.envoy.admin !== "" && facts.envoy.answering === false) {
    problems.push(`Envoy's admin interface at ${facts.envoy.admin} does not answer`);
  }
  return { healthy: problems.length === 0, problems };
}
