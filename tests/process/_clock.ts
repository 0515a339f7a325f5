// The fake clock for code that awaits between its timers: after every timer it lets all awaits run.
import { FakeClock } from "../support/fake_clock.ts";

/** Turns of the microtask queue that settle a chain of awaits. */
const TURNS = 50;

export class HandClock extends FakeClock {
  /** Lets `ms` pass, firing what is due on the way, awaits running in between. */
  async pass(ms: number): Promise<void> {
    const endMs = this.now() + ms;
    await turns();
    for (let next = this.nextMs; next !== undefined && next <= endMs; next = this.nextMs) {
      this.advanceTo(next);
      await turns();
    }
    this.advanceTo(endMs);
    await turns();
  }
}

/** Lets everything that is ready run. */
export async function turns(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await Promise.resolve();
}
