// Ports for programs that cannot be asked to choose one themselves: for the router's status page 0
// means off. Somebody else may take the port in between; then that program says so at its start.

/** Below those that the system hands out to clients: one of them may be anybody's the next moment. */
const FIRST = 10_240;
const COUNT = 20_000;
const TRIES_MAX = 1_000;

/** A port that nobody listened on a moment ago. @throws {Error} when there is none on that address. */
export function freePort(hostname: string): number {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    if (isFreePort(hostname, port)) return port;
  }
  throw new Error(`Cannot find a free port on ${hostname}`);
}

/** Could somebody listen there now? */
export function isFreePort(hostname: string, port: number): boolean {
  try {
    Deno.listen({ hostname, port }).close();
    return true;
  } catch {
    return false;
  }
}
