// Real time behind the engine's Clock, for reconnects and file checks of the client.
import type { Clock, Timer } from "../engine/mod.ts";

export const systemClock: Clock = {
  now(): number {
    return performance.now();
  },
  after(ms: number, fire: () => void): Timer {
    const id = setTimeout(fire, ms);
    return { cancel: () => clearTimeout(id) };
  },
};
