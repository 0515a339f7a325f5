// The simulator's words as types: what a pool is made of, what it answers, what a test may script.
// Read by pool.ts (the model), control_plane.ts (the gRPC edge) and everyone who starts a simulator.
import type { ActorRef, ActorState, Clock, Draw } from "../engine/mod.ts";

/** The gRPC codes that the simulator itself sends; scripts may send any number. */
export const SimCode = {
  OK: 0,
  INVALID_ARGUMENT: 3,
  NOT_FOUND: 5,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
} as const;

/** What the pool answers to one ResumeActor. */
export type ResumeReply =
  | { readonly kind: "ok"; readonly actor: ActorState; readonly resumed: boolean }
  | { readonly kind: "status"; readonly code: number; readonly message: string }
  /** No answer: the call's stream is reset. */
  | { readonly kind: "reset" };

/**
 * One scripted answer to one ResumeActor. Times in ms.
 * `pool`: what the pool would say by itself. `hang`: nothing, for ever (until the server closes).
 */
export type Step =
  | { readonly kind: "pool"; readonly delayMs?: number }
  | ({ readonly kind: "ok"; readonly delayMs?: number } & Partial<OkStep>)
  | {
    readonly kind: "status";
    readonly delayMs?: number;
    readonly code: number;
    readonly message?: string;
  }
  | { readonly kind: "reset"; readonly delayMs?: number }
  | { readonly kind: "hang" };

/** What a scripted OK says; it does not touch the pool's own state. */
export interface OkStep {
  /** Sent as it is, also when it is no address. Default: the first worker. */
  readonly workerIp: string;
  /** `Actor.status` on the wire, any number. Default RUNNING. */
  readonly status: number;
  readonly resumed: boolean;
  readonly templateNamespace: string;
  readonly templateName: string;
}

export interface ScriptOptions {
  /** The last step goes on for ever; otherwise the pool answers once the steps are used up. */
  readonly repeatLast?: boolean;
}

export interface PoolOptions {
  readonly clock: Clock;
  /** Uniform [0, 1): spreads resume delays. Default: none, every delay is exact. */
  readonly draw?: Draw;
  /** Addresses of the workers. */
  readonly workers: readonly string[];
  /** Actors one worker can hold at once. Default 1. */
  readonly slotsPerWorker?: number;
  readonly actors: readonly ActorRef[];
  /** From the claim of a worker to the OK. Default 0. */
  readonly resumeDelayMs?: number;
  /** Delay × (1 + U[0, jitter)). Default 0. */
  readonly resumeJitter?: number;
  /** A running actor without a request is suspended after this. Default 0 = never. */
  readonly idleMs?: number;
  /** The same from an OK answer to the first request that follows it. Default idleMs. */
  readonly firstUseMs?: number;
  /** From the end of the idle time until the worker is free. Default 0. */
  readonly suspendDelayMs?: number;
  /** Actors are running from the start, as far as there are free workers. Default false. */
  readonly startRunning?: boolean;
}

/** How many actors are in which state, and how many more could be resumed now. */
export interface PoolView {
  readonly freeSlots: number;
  readonly suspended: number;
  readonly resuming: number;
  readonly running: number;
  readonly suspending: number;
  /** Resumes that ran since the start. */
  readonly resumes: number;
}

/** Template every simulated actor is made from. */
export const SIM_TEMPLATE = { namespace: "sim", name: "echo" } as const;

/** Unambiguous: neither label can contain a slash. */
export function keyOf(actor: ActorRef): string {
  return `${actor.atespace}/${actor.actorId}`;
}

/** `count` actors named a1, a2, … in one atespace. */
export function numberedActors(count: number, atespace = "demo"): ActorRef[] {
  return Array.from({ length: count }, (_, i) => ({ atespace, actorId: `a${i + 1}` }));
}
