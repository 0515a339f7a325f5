// SIGUSR1 also means something to the runtime: `deno run` (2.9.2 and later, not a compiled program)
// opens its debugger's port on 127.0.0.1:9229 beside our handler, and no flag forbids it. Whoever
// reaches that port runs code in the process, so it is closed as soon as it is there.
// Owner: process.
import { close, url } from "node:inspector";

/** How long the runtime may take to open the port. */
const LOOK_MS = 2_000;
const EVERY_MS = 5;

/** As `node:inspector`. */
export interface DebugPort {
  url(): string | undefined;
  close(): void;
}

/** As `setTimeout` and the monotonic clock of the process. */
export interface LookTimer {
  now(): number;
  after(ms: number, fire: () => void): void;
}

const SYSTEM: LookTimer = {
  now: () => performance.now(),
  // A look must keep nothing alive.
  after: (ms, fire) => Deno.unrefTimer(setTimeout(fire, ms)),
};

/** Closes the debugger's port once it is open; gives up after 2 s. Never throws. */
export function closeDebugPort(
  port: DebugPort = { url, close },
  timer: LookTimer = SYSTEM,
): void {
  const endMs = timer.now() + LOOK_MS;
  const look = () => {
    try {
      if (port.url() !== undefined) return port.close();
    } catch {
      return; // A runtime without it has nothing to close.
    }
    if (timer.now() < endMs) timer.after(EVERY_MS, look);
  };
  look();
}
