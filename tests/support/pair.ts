// A pod as it is deployed: a router and its Envoy, which takes listeners and routes from the router,
// and the handshake of the two at the end. Used by tests/e2e for rollouts.
import { type EnvoyUnderTest, startEnvoy } from "./envoy.ts";
import { HttpConnection, type HttpReply, type HttpRequest } from "./http.ts";
import { choosePort, printedBootstrap, RouterProcess } from "./router_process.ts";
import type { Flags } from "./stack.ts";
import { KeptConnections } from "./traffic.ts";

/** How a pod ended. */
export interface PairEnd {
  /** Exit code of the router. */
  readonly code: number;
  /** What Envoy's preStop hook was answered. */
  readonly hook: string;
  readonly tookMs: number;
}

/** One pod. Dispose of it, or `end()`. */
export class Pair implements AsyncDisposable {
  constructor(
    readonly router: RouterProcess,
    readonly envoy: EnvoyUnderTest,
    readonly httpPort: number,
  ) {}

  /** Starts both at once, as a pod does; both are ready when it resolves. */
  static async start(flags: Flags): Promise<Pair> {
    const ports = {
      "port-http": choosePort(),
      "port-extproc": choosePort(),
      "port-xds": choosePort(),
      "envoy-admin-address": `127.0.0.1:${choosePort()}`,
    };
    const { "port-extproc": extprocPort, ...others } = ports;
    const words = Object.entries({ ...others, ...flags })
      .map(([name, value]) => `--${name}=${value}`);
    const bootstrap = await printedBootstrap(["--ads", `--port-extproc=${extprocPort}`, ...words]);
    const starting = startEnvoy({ edit: () => bootstrap });
    const router = await RouterProcess.start(words, extprocPort).catch(async (error) => {
      await starting.then((envoy) => envoy.stop(), () => {});
      throw error;
    });
    return new Pair(router, await starting, ports["port-http"]);
  }

  /** As the kubelet does it: SIGTERM and the hook at once, Envoy's SIGTERM after the hook. */
  async end(): Promise<PairEnd> {
    const startMs = performance.now();
    this.router.signal("SIGTERM");
    const response = await fetch(`http://127.0.0.1:${this.router.statusPort}/drain/wait`);
    const hook = await response.text();
    const [code] = await Promise.all([this.router.exit, this.envoy.stop()]);
    return { code, hook, tookMs: performance.now() - startMs };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.router.kill(), this.envoy.stop()]);
  }
}

interface Backend {
  readonly pair: Pair;
  readonly connections: KeptConnections;
  ready: boolean;
}

const LOOK_MS = 50;

/** Sends each request to the next pair whose Envoy says it is ready. Dispose of it. */
export class Balancer implements Disposable {
  #backends: Backend[] = [];
  #turn = 0;
  #looking = false;
  readonly #timer: ReturnType<typeof setInterval>;

  constructor() {
    this.#timer = setInterval(() => void this.#look(), LOOK_MS);
  }

  /** The pair is ready. */
  add(pair: Pair): void {
    this.#backends.push({ pair, connections: new KeptConnections(pair.httpPort), ready: true });
  }

  remove(pair: Pair): void {
    for (const one of this.#backends) if (one.pair === pair) one.connections.closeIdle();
    this.#backends = this.#backends.filter((one) => one.pair !== pair);
  }

  /** @throws {Error} when no pair is ready, or when the connection ends without a reply. */
  request(request: HttpRequest): Promise<HttpReply> {
    return this.#next().connections.request(request);
  }

  /** The same over a connection of its own. */
  async requestAlone(request: HttpRequest): Promise<HttpReply> {
    using connection = await HttpConnection.open(this.#next().pair.httpPort);
    return await connection.request(request);
  }

  #next(): Backend {
    const ready = this.#backends.filter((one) => one.ready);
    const backend = ready[this.#turn++ % ready.length];
    if (backend === undefined) throw new Error("Cannot send: no Envoy is ready");
    return backend;
  }

  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    await Promise.all(this.#backends.map(async (one) => {
      one.ready = await one.pair.envoy.admin.ready().catch(() => false);
      if (!one.ready) one.connections.closeIdle();
    }));
    this.#looking = false;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    for (const { connections } of this.#backends) connections.closeIdle();
  }
}
