// Steps 4 and 6 of the shutdown: requests get their verdicts, then Envoy's connections are left.
// Place in the flow: between Envoy's drain and the flush of telemetry. Owner: process.
import type { Clock } from "../engine/mod.ts";
import type { RequestCounts } from "./ledger.ts";
import { type Interrupt, sleep } from "./wait.ts";

/** Envoy's side of the router, as the shutdown sees it. */
export interface ExtProcDrain extends RequestCounts {
  /** Envoy's connections to us. */
  connections(): number;
  /** How long the oldest request without a verdict has waited, in ms; 0 when there is none. */
  oldestWaitMs(): number;
  /** From now on the first retryable answer of a new request is final. */
  stopParking(): void;
  /** gRPC health says NOT_SERVING, GOAWAY, no new connections; requests in progress go on. */
  goAway(): void;
  /** Streams without a verdict are reset, connections closed. Bounded. */
  close(): Promise<void>;
}

/** How step 4 ended. */
export type QuietEnd = "quiet" | "timeout" | "interrupted";

/** What was there when Envoy's connections were left. */
export interface Left {
  /** Connections Envoy still had when it was told to go. */
  readonly connections: number;
  /** Requests without a verdict at the end: they are about to be reset. */
  readonly cut: number;
}

const POLL_MS = 25;
/** A request is slow from here on, and so long must there be no slow one. */
const QUIET_MS = 250;
/** With fast requests all the time there may be no instant without one: it is not waited for longer. */
const INSTANT_MS = 250;
/** Bound on step 6. */
export const LEAVE_MS = 1_000;
/** Its part in which new requests are still answered: an Envoy that was released closes by itself. */
const ANSWERING_MS = 700;

/**
 * Waits until no request has been waiting for its verdict for 250 ms or more, all of 250 ms long, and
 * then for an instant without any request, another 250 ms at most. Requests that are answered fast,
 * however many, hold nothing up; one that turns out to be slow does.
 */
export async function untilQuiet(
  extproc: ExtProcDrain,
  clock: Clock,
  interrupt: Interrupt,
  endMs: number,
): Promise<QuietEnd> {
  let sinceMs: number | undefined;
  while (!interrupt.raised) {
    const nowMs = clock.now();
    sinceMs = extproc.oldestWaitMs() < QUIET_MS ? sinceMs ?? nowMs : undefined;
    const quietMs = nowMs - (sinceMs ?? nowMs);
    const enough = extproc.open() === 0 ? QUIET_MS : QUIET_MS + INSTANT_MS;
    if (quietMs >= enough) return "quiet";
    if (nowMs >= endMs) return "timeout";
    await sleep(clock, Math.min(POLL_MS, endMs - nowMs), interrupt);
  }
  return "interrupted";
}

/**
 * Waits for Envoy to close its connections, answering all the while; then tells it to go and lets
 * requests in progress end. 1 s in all; nothing is reset yet.
 */
export async function leaveEnvoy(
  extproc: ExtProcDrain,
  clock: Clock,
  interrupt: Interrupt,
): Promise<Left> {
  const beganMs = clock.now();
  const gone = () => extproc.connections() === 0;
  await poll(clock, interrupt, beganMs + ANSWERING_MS, gone);
  const connections = extproc.connections();
  extproc.goAway();
  await poll(clock, interrupt, beganMs + LEAVE_MS, () => gone() && extproc.open() === 0);
  return { connections, cut: extproc.open() };
}

async function poll(
  clock: Clock,
  interrupt: Interrupt,
  endMs: number,
  reached: () => boolean,
): Promise<void> {
  while (!reached() && clock.now() < endMs && !interrupt.raised) {
    await sleep(clock, Math.min(POLL_MS, endMs - clock.now()), interrupt);
  }
}
