// Looks into a router that was started from measured_main.ts, from outside: its own figures after a
// forced collection, its file descriptors, its sockets by their other end.
import type { Measure } from "./instruments.ts";
import type { RouterProcess } from "./router_process.ts";
import { until } from "./until.ts";
export type { Measure } from "./instruments.ts";

/** How to start a router that can be measured: for {@link RouterProcess} and `startStack`. */
export const MEASURED = {
  main: "tests/support/measured_main.ts",
  env: { DENO_V8_FLAGS: "--expose-gc" },
} as const;

const MIB = 1024 * 1024;

/** Lines of {@link Measure} so far. */
function measures(router: RouterProcess): Measure[] {
  return router.complaints().filter((line) => line.startsWith('{"measure"'))
    .map((line) => JSON.parse(line));
}

/** Its figures of now, after a forced collection. */
export async function measure(router: RouterProcess): Promise<Measure> {
  const before = measures(router).length;
  router.signal("SIGUSR2");
  return await until("a measure", () => measures(router)[before]);
}

/** One line for people. */
export function shown(figures: Measure): string {
  const { heapBytes, rssBytes, timers, listeners, lagP99Ms, lagMaxMs } = figures;
  const mib = (bytes: number) => (bytes / MIB).toFixed(1);
  return `heap ${mib(heapBytes)} MiB, RSS ${mib(rssBytes)} MiB, ${timers} timers, ` +
    `${listeners} listeners, loop lag p99 ${lagP99Ms} ms, max ${lagMaxMs} ms`;
}

/** Resident memory of a process, as the system sees it, in bytes. */
export function rssOf(pid: number): number {
  const pages = Deno.readTextFileSync(`/proc/${pid}/statm`).split(" ")[1];
  return Number(pages) * 4096;
}

/** An open TCP socket of a process. */
export interface Socket {
  readonly localPort: number;
  readonly remotePort: number;
  readonly listens: boolean;
}

/** Open descriptors of a process. */
export interface Descriptors {
  readonly count: number;
  readonly sockets: readonly Socket[];
}

const LISTEN = "0A";

/** TCP sockets of the machine by inode. */
function tcpTable(pid: number): Map<string, Socket> {
  const found = new Map<string, Socket>();
  for (const family of ["tcp", "tcp6"]) {
    const rows = Deno.readTextFileSync(`/proc/${pid}/net/${family}`).trim().split("\n").slice(1);
    for (const row of rows) {
      const [, local = "", remote = "", state, , , , , , inode = ""] = row.trim().split(/\s+/);
      const port = (end: string) => Number.parseInt(end.split(":")[1] ?? "", 16);
      const listens = state === LISTEN;
      found.set(inode, { localPort: port(local), remotePort: port(remote), listens });
    }
  }
  return found;
}

/** What a process holds open now. Linux only, as the rest of the tests on the real Envoy. */
export function descriptors(pid: number): Descriptors {
  const table = tcpTable(pid);
  const sockets: Socket[] = [];
  let count = 0;
  for (const { name } of Deno.readDirSync(`/proc/${pid}/fd`)) {
    const target = linkOf(`/proc/${pid}/fd/${name}`);
    if (target === undefined) continue;
    count++;
    const socket = table.get(/^socket:\[(\d+)\]$/.exec(target)?.[1] ?? "");
    if (socket) sockets.push(socket);
  }
  return { count, sockets };
}

/** Undefined when it was closed meanwhile. */
function linkOf(path: string): string | undefined {
  try {
    return Deno.readLinkSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
