// CPU time over a stretch of a benchmark: of the router, of the control plane, and of this process, so
// that a figure can say who was busy, and who was kept from it. Used by park_storm.ts.
import { cpuMs, starvedMs } from "./process_stats.ts";

export interface Usage {
  readonly tookMs: number;
  readonly routerMs: number;
  readonly controlPlaneMs: number;
  /** This process: the load generator. */
  readonly generatorMs: number;
  /** How long the router was ready to run and had no CPU. */
  readonly routerStarvedMs: number;
  readonly controlPlaneStarvedMs: number;
  readonly generatorStarvedMs: number;
}

/** Begins now. @returns ends it; CPU times in ms, in steps of 10. */
export async function usage(
  routerPid: number,
  controlPlanePid: number,
): Promise<() => Promise<Usage>> {
  const pids = [routerPid, controlPlanePid, Deno.pid];
  const now = () => Promise.all([...pids.map(cpuMs), ...pids.map(starvedMs)]);
  const before = await now();
  const startMs = performance.now();
  return async () => {
    const tookMs = performance.now() - startMs;
    const after = await now();
    const [
      routerMs = NaN,
      controlPlaneMs = NaN,
      generatorMs = NaN,
      routerStarvedMs = NaN,
      controlPlaneStarvedMs = NaN,
      generatorStarvedMs = NaN,
    ] = after.map((ms, i) => ms - (before[i] ?? NaN));
    return {
      tookMs,
      routerMs,
      controlPlaneMs,
      generatorMs,
      routerStarvedMs,
      controlPlaneStarvedMs,
      generatorStarvedMs,
    };
  };
}
