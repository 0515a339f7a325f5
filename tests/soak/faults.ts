// What happens to the control plane in every round of the soak: it restarts with and without a word,
// it freezes, and the network to it is cut and comes back. Between that it is well.
import type { Simulator } from "../../src/sim/simulator.ts";
import type { FaultyLink } from "../support/faulty_link.ts";

/** A span in which the control plane was not well, and for a while after. By performance.now(). */
export interface Trouble {
  readonly what: string;
  readonly fromMs: number;
  readonly toMs: number;
}

interface Fault {
  readonly what: string;
  /** From the start of a round. */
  readonly atMs: number;
  readonly act: (simulator: Simulator, link: FaultyLink, round: number) => Promise<void>;
}

/** After it is back: dials 250 ms apart, a budget of 3 s, a dead peer found in 4 s; and a busy machine. */
const RECOVERY_MS = 5_000;

/** Shorter and longer than it takes to be found dead: the answers still come, or the calls are lost. */
const FREEZES_MS = [3_000, 5_500];

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

const FAULTS: readonly Fault[] = [
  {
    what: "graceful restart",
    atMs: 9_000,
    act: (simulator) => simulator.restart({ graceful: true, graceMs: 1_500, downMs: 300 }),
  },
  {
    what: "kill",
    atMs: 18_000,
    async act(simulator, link) {
      link.newConnections = "refuse";
      link.cut();
      await simulator.restart({ graceful: false, downMs: 700 });
      link.newConnections = "pass";
    },
  },
  {
    what: "freeze",
    atMs: 27_000,
    async act(_, link, round) {
      link.hold();
      await pause(FREEZES_MS[round % FREEZES_MS.length]!);
      link.release();
    },
  },
  {
    what: "partition",
    atMs: 38_000,
    async act(_, link) {
      link.mute();
      link.newConnections = "swallow";
      await pause(3_000);
      // Who was connected stays cut off; who comes anew gets through.
      link.mute();
      link.newConnections = "pass";
    },
  },
];

/** When the last of them is over and its caller has been served. */
export const FAULTS_MS = 47_000;

/** Lets everything happen once. @returns when it was. */
export async function faults(
  simulator: Simulator,
  link: FaultyLink,
  round: number,
): Promise<Trouble[]> {
  const startMs = performance.now();
  const troubles: Trouble[] = [];
  for (const { what, atMs, act } of FAULTS) {
    await pause(Math.max(0, startMs + atMs - performance.now()));
    const fromMs = performance.now();
    await act(simulator, link, round);
    troubles.push({ what, fromMs, toMs: performance.now() + RECOVERY_MS });
  }
  return troubles;
}
