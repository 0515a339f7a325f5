// What must be gone when nobody asks any more: slots, flights, callers, attempts, streams, timers,
// listeners, sockets and other descriptors of the router, requests and streams of Envoy, calls of the
// control plane.
import type { Snapshot } from "../../src/admin/snapshot.ts";
import type { FaultyLink } from "../support/faulty_link.ts";
import { type Descriptors, descriptors, type Measure, measure } from "../support/measure.ts";
import type { Stack } from "../support/stack.ts";
import { until } from "../support/until.ts";

/** Everything of one moment without traffic. */
export interface Quiet {
  readonly status: Snapshot;
  readonly figures: Measure;
  readonly open: Descriptors;
}

const QUIET_MS_MAX = 30_000;
/** The caller limit's timer, the clients of the status port. */
const TIMERS_SPREAD = 4;

function calm({ engine, parking, envoy }: Snapshot): boolean {
  const { flights, callers, attempts_in_progress: attempts } = engine;
  return flights + callers + attempts + parking.active + envoy.streams === 0;
}

/**
 * Waits until the router says that nothing is in progress, then looks.
 * @throws {Error} saying what is, when that takes too long.
 */
export async function quiet(stack: Stack): Promise<Quiet> {
  let last = "";
  const status = await until("the router to be quiet", async () => {
    const now = await stack.router.status();
    if (calm(now)) return now;
    const { engine, parking, envoy, flights } = now;
    last = JSON.stringify({ engine, parking, streams: envoy.streams, flights });
    return undefined;
  }, QUIET_MS_MAX).catch((cause) => {
    throw new Error(`Cannot wait longer for the router to be quiet: ${last}`, { cause });
  });
  const { pid } = stack.router;
  return { status, figures: await measure(stack.router), open: descriptors(pid) };
}

/** Sockets of the router by who is at the other end. */
function sockets({ sockets }: Descriptors, stack: Stack, link: FaultyLink) {
  const count = { listening: 0, envoy: 0, controlPlane: 0, status: 0, others: 0 };
  for (const { listens, localPort, remotePort } of sockets) {
    if (listens) count.listening++;
    else if (localPort === stack.router.extprocPort) count.envoy++;
    else if (remotePort === link.port) count.controlPlane++;
    else if (localPort === stack.router.statusPort) count.status++;
    else count.others++;
  }
  return count;
}

/** What is there now and was not before the traffic; empty when nothing is. */
export async function leftovers(
  stack: Stack,
  link: FaultyLink,
  before: Quiet,
  now: Quiet,
): Promise<string[]> {
  const was = sockets(before.open, stack, link);
  const is = sockets(now.open, stack, link);
  const others = (open: Descriptors) => open.count - open.sockets.length;
  const { envoy } = stack;
  const calls = stack.simulator.calls.counts();
  const rows: [what: string, found: number, most: number][] = [
    ["listening sockets", is.listening, was.listening],
    ["connections to the control plane", is.controlPlane, 1],
    ["connections of Envoy", is.envoy, Math.max(1, was.envoy)],
    ["sockets of nobody", is.others, 0],
    ["descriptors that are no sockets", others(now.open), others(before.open)],
    ["timers", now.figures.timers, before.figures.timers + TIMERS_SPREAD],
    ["listeners", now.figures.listeners, before.figures.listeners],
    ["relayed connections", link.open, 1],
    ["calls at the control plane", calls.open, 0],
    ["requests in Envoy", await envoy.stat("http.ingress.downstream_rq_active"), 0],
    ["streams of Envoy", await envoy.stat("cluster.atenet_extproc.upstream_rq_active"), 0],
    ["log lines dropped", now.status.telemetry.log_lines_dropped, 0],
  ];
  return rows.filter(([, found, most]) => found > most)
    .map(([what, found, most]) => `${what}: ${found}, at most ${most}`);
}
