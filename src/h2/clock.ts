// Time as this transport needs it, and the system's. Connections take a clock from their maker, so
// that tests move time by hand.
import type { Clock, Timer } from "./grpc/types.ts";

export type { Clock, Timer };

/** Timers above this fire at once in the runtime. */
const TIMER_MS_MAX = 0x7fff_ffff;

/** `performance.now` and `setTimeout`. */
export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, fire) {
    const id = setTimeout(fire, Math.min(Math.max(ms, 0), TIMER_MS_MAX));
    return { cancel: () => clearTimeout(id) };
  },
};
