// Echo workers: HTTP servers on many loopback addresses and one port, so that the router's single
// --worker-port fits them all. Each says what it was asked, and tells the pool that it is in use.
// Started by the demo, tests and benchmarks.
import type { ActorRef, Clock } from "../engine/mod.ts";
import type { Pool } from "./pool.ts";

export interface WorkersOptions {
  /** Loopback addresses. */
  readonly ips: readonly string[];
  /** Default 0: the system chooses one that is free on all addresses. */
  readonly port?: number;
  /** Told about arriving and finished requests. */
  readonly pool?: Pool;
  /** A request keeps its actor busy for this long; needs `clock`. Default 0. */
  readonly workMs?: number;
  readonly clock?: Clock;
}

/** What a worker answers, as JSON. */
export interface Echo {
  /** Address of the worker. */
  readonly worker: string;
  readonly method: string;
  readonly path: string;
  /** The Host header it saw. */
  readonly host: string;
  /** `atespace/actor_id`, from the x-sim-actor header, the host, or what runs there; else empty. */
  readonly actor: string;
  /** Does that actor run on this worker? False also without a pool. */
  readonly here: boolean;
}

export interface Workers {
  readonly ips: readonly string[];
  readonly port: number;
  /** Requests answered so far, by address. */
  served(ip: string): number;
  stop(): Promise<void>;
}

/** Names the actor (`atespace/actor_id`) where the Host no longer does. */
export const ACTOR_HEADER = "x-sim-actor";

const PORT_TRIES = 10;

/**
 * Listens on every address.
 * @throws {Error} when an address cannot be bound; the message names it.
 */
export async function startWorkers(options: WorkersOptions): Promise<Workers> {
  const wanted = options.port ?? 0;
  for (let tries = 1;; tries++) {
    const servers: Deno.HttpServer<Deno.NetAddr>[] = [];
    const served = new Map<string, number>(options.ips.map((ip) => [ip, 0]));
    let port = wanted;
    let ip = "";
    try {
      for (ip of options.ips) {
        const handler = echoHandler(ip, options, served);
        servers.push(Deno.serve({ hostname: ip, port, onListen() {} }, handler));
        port = (servers[0] as Deno.HttpServer<Deno.NetAddr>).addr.port;
      }
    } catch (error) {
      await stopAll(servers);
      // A port that is free on the first address may be taken on another one: take a new one.
      const again = error instanceof Deno.errors.AddrInUse && wanted === 0 && tries < PORT_TRIES;
      if (again) continue;
      throw new Error(`Cannot listen as a worker: ${ip}:${port}`, { cause: error });
    }
    return {
      ips: options.ips,
      port,
      served: (ip) => served.get(ip) ?? 0,
      stop: () => stopAll(servers),
    };
  }
}

async function stopAll(servers: readonly Deno.HttpServer[]): Promise<void> {
  await Promise.all(servers.map((server) => server.shutdown()));
}

function echoHandler(
  ip: string,
  options: WorkersOptions,
  served: Map<string, number>,
): (request: Request) => Response | Promise<Response> {
  const { pool, clock, workMs = 0 } = options;
  return (request) => {
    const ref = actorOf(request, ip, pool);
    const leave = ref === undefined ? undefined : pool?.requestArrived(ip, ref);
    const url = new URL(request.url);
    const echo: Echo = {
      worker: ip,
      method: request.method,
      path: url.pathname,
      host: request.headers.get("host") ?? "",
      actor: ref === undefined ? "" : `${ref.atespace}/${ref.actorId}`,
      here: leave !== undefined,
    };
    const finish = () => {
      leave?.();
      served.set(ip, (served.get(ip) ?? 0) + 1);
      return Response.json(echo);
    };
    if (workMs <= 0 || clock === undefined) return finish();
    return new Promise((resolve) => clock.after(workMs, () => resolve(finish())));
  };
}

function actorOf(request: Request, ip: string, pool: Pool | undefined): ActorRef | undefined {
  const [space, id] = request.headers.get(ACTOR_HEADER)?.split("/") ?? [];
  if (space && id) return { atespace: space, actorId: id };
  const host = request.headers.get("host") ?? "";
  if (!/^[\d.]+(:\d+)?$/.test(host)) {
    const [actorId, atespace] = host.toLowerCase().split(".");
    if (actorId && atespace) return { atespace, actorId };
  }
  return pool?.runningOn(ip);
}
