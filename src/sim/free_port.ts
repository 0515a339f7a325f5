// Ports for programs that cannot be asked to choose one themselves: for the router's status page 0
// means off. Somebody else may take the port in between; then that program says so at its start.

/** A port that nobody listened on a moment ago. */
export function freePort(hostname: string): number {
  using listener = Deno.listen({ hostname, port: 0 });
  return listener.addr.port;
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
