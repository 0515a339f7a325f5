// The demo with doubles: a router that only counts, an "Envoy" that is ready at once, and an HTTP
// server in this process that answers the burst. Everything else is real.
import type { DemoOptions, DemoParts, DemoRouterSettings } from "../../src/sim/demo_parts.ts";
import { monotonicClock } from "../../src/process/platform.ts";
import { serve } from "../../src/grpcjs/server.ts";
import { runDemo } from "../../src/sim/demo.ts";
import { freePort, isFreePort } from "../../src/sim/free_port.ts";
import { readyEnvoy } from "./fake_envoy.ts";

export interface DemoScript {
  /** Answers one request of the burst. Default: 503 for the first 45 with parking off, else 200. */
  readonly answer?: (nth: number, lot: number) => Response | Promise<Response>;
  readonly findEnvoy?: DemoParts["findEnvoy"];
  /** Called at each start of a router, before it is there. */
  readonly onRouter?: (nth: number) => void;
  readonly stopRouter?: () => Promise<void>;
  readonly stay?: boolean;
  /** Hears every text the demo writes. */
  readonly onText?: (text: string) => void;
}

export interface DemoRun {
  readonly code: number;
  readonly text: string;
  readonly routers: readonly DemoRouterSettings[];
  /** Does anything of the demo still listen? */
  readonly left: boolean;
}

/** A 200 as the right worker sends it. */
export function fromWorker(): Response {
  return Response.json({ here: true });
}

export function noWorker(): Response {
  return new Response("actor a1 unavailable: no free workers available", { status: 503 });
}

/** Plays the demo to its end; `stop` is the person's Ctrl-C. */
export async function playDemo(script: DemoScript, stop = new AbortController()): Promise<DemoRun> {
  await using envoy = await readyEnvoy();
  const routers: DemoRouterSettings[] = [];
  const lines: string[] = [];
  const counts = { asked: 0, parked: 0 };
  const answer = script.answer ??
    ((nth, lot) => lot === 0 && nth <= 45 ? noWorker() : fromWorker());
  const http = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    const lot = routers.at(-1)?.parkedRequestMax ?? 0;
    if (new URL(request.url).pathname === "/statusz") return status(counts.parked);
    counts.parked = lot === 0 ? 0 : 45;
    return answer(++counts.asked, lot);
  });
  const extprocPort = freePort("127.0.0.1");
  const options: DemoOptions = {
    stay: script.stay === true,
    portHttp: 0,
    actorDomain: "x.example",
  };
  const code = await runDemo(options, {
    serve,
    clock: monotonicClock(),
    startRouter(settings) {
      script.onRouter?.(routers.length + 1);
      routers.push(settings);
      counts.asked = 0;
      return Promise.resolve({
        extprocPort,
        statusUrl: `http://127.0.0.1:${http.addr.port}/statusz`,
        stop: script.stopRouter ?? (() => Promise.resolve()),
      });
    },
    bootstrap: () => JSON.stringify({ http: http.addr.port }),
    findEnvoy: script.findEnvoy ?? (() => Promise.resolve(envoy.path)),
    out: {
      terminal: false,
      write: (text) => {
        lines.push(text);
        script.onText?.(text);
      },
    },
    signal: stop.signal,
  });
  await http.shutdown();
  return { code, text: lines.join(""), routers, left: routers.some(leftListening) };
}

function status(parked: number): Response {
  return Response.json({ parking: { active: 0 }, counters: { parked } });
}

function leftListening({ ateapiAddress }: DemoRouterSettings): boolean {
  return !isFreePort("127.0.0.1", Number(ateapiAddress.split(":").at(-1)));
}
