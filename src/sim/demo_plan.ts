// The numbers of the demo. Times in ms.
// Four turns of resume + idle make about 1.8 s: well inside the budget, also on a machine that is
// several times slower. An actor waits longer for its first request than after one, so that a slow
// machine does not suspend it before what it was resumed for has arrived.

export const DEMO = {
  hostname: "127.0.0.1",
  workers: 3,
  actors: 12,
  requests: 60,
  resumeDelayMs: 150,
  idleMs: 250,
  firstUseMs: 1_500,
  budgetMs: 5_000,
  /** Slots of the lot with parking on. */
  lot: 1024,
  /** Longest wait of one request. */
  requestTimeoutMs: 25_000,
  /** Longest wait for the pool to come to rest between the bursts. */
  quietMs: 10_000,
  liveEveryMs: 100,
} as const;
