// The demo's burst: many requests at once through Envoy, each on its own connection, and what became
// of them. Used by demo.ts; demo_report.ts turns the result into words.
import type { ActorRef, Clock } from "../engine/mod.ts";
import { httpGet } from "./http_get.ts";
import { keyOf } from "./model.ts";
import { ACTOR_HEADER, type Echo } from "./workers.ts";

export interface BurstOptions {
  /** Where Envoy listens. */
  readonly hostname: string;
  readonly port: number;
  readonly actors: readonly ActorRef[];
  /** Requests in all, dealt to the actors in turn. */
  readonly requests: number;
  readonly actorDomain: string;
  readonly clock: Clock;
  /** Longest wait of one request. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Told after every answer: how many there are. */
  readonly onAnswer?: (answered: number) => void;
}

/** How one request ended. `failed`: no HTTP answer at all. */
export type Outcome =
  | {
    readonly kind: "answered";
    readonly status: number;
    readonly body: string;
    readonly waitMs: number;
    /** A 200 that came from the worker on which its actor runs. */
    readonly rightWorker: boolean;
  }
  | { readonly kind: "failed"; readonly why: string };

/** The host of an actor, as clients write it. */
export function hostOf(actor: ActorRef, actorDomain: string): string {
  return `${actor.actorId}.${actor.atespace}.${actorDomain}`;
}

/** Sends all requests at once; resolves when every one has ended. Never rejects. */
export function burst(options: BurstOptions): Promise<Outcome[]> {
  const { actors, requests, onAnswer } = options;
  if (actors.length === 0) return Promise.resolve([]);
  let answered = 0;
  return Promise.all(Array.from({ length: requests }, async (_, i) => {
    const outcome = await one(options, actors[i % actors.length] as ActorRef);
    onAnswer?.(++answered);
    return outcome;
  }));
}

async function one(options: BurstOptions, actor: ActorRef): Promise<Outcome> {
  const { clock } = options;
  const startMs = clock.now();
  try {
    const { status, body } = await httpGet({
      hostname: options.hostname,
      port: options.port,
      host: hostOf(actor, options.actorDomain),
      path: "/",
      headers: { [ACTOR_HEADER]: keyOf(actor) },
      clock,
      timeoutMs: options.timeoutMs,
      signal: options.signal,
    });
    const waitMs = clock.now() - startMs;
    const rightWorker = status === 200 && (JSON.parse(body) as Echo).here;
    return { kind: "answered", status, body, waitMs, rightWorker };
  } catch (error) {
    return { kind: "failed", why: error instanceof Error ? error.message : String(error) };
  }
}
