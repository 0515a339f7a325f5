// Words of the engine that the status document repeats. Owner: admin.
export type { ParkOutcome, RouteOutcome } from "../engine/mod.ts";
export type { ReadinessWord } from "./readiness.ts";
