// The only door of the engine.
export { type AskOptions, createEngine, Engine, type EngineOptions } from "./engine.ts";
export type { PendingRequest } from "./engine.ts";
export * from "./model.ts";
export * from "./policy.ts";
export type * from "./ports.ts";
export type { EngineSnapshot, FlightSummary } from "./snapshot.ts";
export { cut, description, detached, escaped } from "./text.ts";
export { TIMER_MS_MAX } from "./backoff.ts";
export { faultVerdict, headersTooLarge, invalidHost } from "./verdict.ts";
