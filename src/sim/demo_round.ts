// One burst of the demo with its live line, counted. Used by demo.ts, once with parking off and once
// with it on.
import type { Clock } from "../engine/mod.ts";
import { burst } from "./burst.ts";
import { DEMO } from "./demo_plan.ts";
import { type Tally, tally } from "./demo_report.ts";
import type { DemoScreen } from "./demo_screen.ts";
import type { DemoEnvoy, DemoPool } from "./demo_stage.ts";
import { numberedActors } from "./model.ts";
import { pause, until } from "./pause.ts";
import { readParking } from "./router_status.ts";

export interface Round {
  /** `parking off`. */
  readonly name: string;
  readonly screen: DemoScreen;
  readonly pool: DemoPool;
  readonly envoy: DemoEnvoy;
  readonly statusUrl: string;
  readonly actorDomain: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Suspends every actor, sends the burst and counts.
 * @throws {Error} when Envoy has ended by itself or the router's status cannot be read.
 */
export async function playRound(round: Round): Promise<Tally> {
  const { envoy, pool, clock, signal, statusUrl } = round;
  const { pool: model } = pool.simulator;
  await allSuspended(round);
  const before = model.view().resumes;
  const shown = new AbortController();
  const progress = { answered: 0 };
  const showing = show(round, progress, shown.signal);
  const outcomes = await burst({
    hostname: DEMO.hostname,
    port: envoy.port,
    actors: numberedActors(DEMO.actors),
    requests: DEMO.requests,
    actorDomain: round.actorDomain,
    clock,
    timeoutMs: DEMO.requestTimeoutMs,
    signal,
    onAnswer: (answered) => progress.answered = answered,
  });
  shown.abort();
  await showing;
  const ended = envoy.process.ended();
  if (ended !== undefined) throw new Error(`Cannot go on with the demo: ${ended}`);
  signal.throwIfAborted();
  const { parked } = await readParking(statusUrl, clock);
  return tally(outcomes, { parked, resumes: model.view().resumes - before });
}

/** Both bursts start from the same state: every worker free. */
async function allSuspended({ pool, clock, signal }: Round): Promise<void> {
  const { pool: model } = pool.simulator;
  const wait = { clock, signal, what: "the pool to rest", everyMs: 20, timeoutMs: DEMO.quietMs };
  await until(wait, () => (model.view().resuming === 0 ? true : undefined));
  model.suspendAll();
}

async function show(
  { name, screen, pool, statusUrl, clock }: Round,
  progress: { readonly answered: number },
  signal: AbortSignal,
): Promise<void> {
  const { pool: model } = pool.simulator;
  while (!signal.aborted) {
    // A router that is too busy to say how many are parked is no reason to stop showing the rest.
    const active = await readParking(statusUrl, clock).then((now) => now.active, () => "?");
    const { running, resuming } = model.view();
    if (signal.aborted) return;
    screen.live(
      `    ${name}: ${progress.answered} of ${DEMO.requests} answered, ${active} parked, ` +
        `${running + resuming} of ${DEMO.workers} workers busy`,
    );
    await pause(clock, DEMO.liveEveryMs, signal);
  }
}
