// CPU time, waiting for a CPU, and memory of a process, from /proc. Linux only. Used by every scenario.

/** Clock ticks of /proc/<pid>/stat: USER_HZ is 100 on every Linux that Deno runs on. */
const TICK_MS = 10;
const UTIME = 11;
const STIME = 12;

/** User + system time of all its threads so far, in ms, in steps of 10. */
export async function cpuMs(pid: number): Promise<number> {
  return parseCpuMs(await Deno.readTextFile(`/proc/${pid}/stat`));
}

/** The name in brackets may hold anything, so fields are counted from the last bracket. */
export function parseCpuMs(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[UTIME]) + Number(fields[STIME])) * TICK_MS;
}

/**
 * How long its main thread, the one that runs JavaScript, was ready to run and had no CPU so far, in
 * ms: what other processes cost it.
 */
export async function starvedMs(pid: number): Promise<number> {
  return parseStarvedMs(await Deno.readTextFile(`/proc/${pid}/schedstat`));
}

/** Fields: ns on a CPU, ns waiting for one, number of turns. @throws {Error} for anything else. */
export function parseStarvedMs(schedstat: string): number {
  const ns = /^\d+ (\d+) \d+\s*$/.exec(schedstat)?.[1];
  if (ns === undefined) throw new Error(`Cannot read as scheduler statistics: ${schedstat}`);
  return Number(ns) / 1e6;
}

export interface Memory {
  readonly rssKib: number;
  /** Highest RSS so far. */
  readonly peakKib: number;
}

export async function memory(pid: number): Promise<Memory> {
  return parseMemory(await Deno.readTextFile(`/proc/${pid}/status`));
}

/** @throws {Error} when a line is missing: the process is a zombie. */
export function parseMemory(status: string): Memory {
  const line = (name: string) => {
    const found = new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1];
    if (found === undefined) throw new Error(`Cannot read as process status: no ${name}`);
    return Number(found);
  };
  return { rssKib: line("VmRSS"), peakKib: line("VmHWM") };
}
