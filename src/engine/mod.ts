// The only door of the engine.
export * from "./model.ts";
export type * from "./ports.ts";
export * from "./policy.ts";
