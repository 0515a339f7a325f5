// A signal between the look at Envoy and readiness: an Envoy that was taken back is drained again,
// one that was not is left as it is. Envoy's admin interface is scripted, the router is whole.
import { assertEquals } from "@std/assert";
import { openLog } from "../../src/app/log.ts";
import { type Router, startRouter } from "../../src/app/router.ts";
import { checkFlags } from "../../src/check/flags.ts";
import { monotonicClock, wallClock } from "../../src/process/platform.ts";
import { settingsOf } from "../check/settings_of.ts";
import { choosePort } from "../support/router_process.ts";

/** A port that nobody listens on: connections are refused at once. */
const NOBODY = "127.0.0.1:1";

/** The admin interface of an idle Envoy that drains for an earlier router. */
class DrainingEnvoy implements AsyncDisposable {
  readonly posts: string[] = [];
  /** Called before what is asked for is answered. */
  onAsked: (path: string) => void = () => {};
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  constructor() {
    const where = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
    this.#server = Deno.serve(where, ({ method, url }) => this.#answer(method, new URL(url)));
  }

  get address(): string {
    return `127.0.0.1:${this.#server.addr.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }

  #answer(method: string, { pathname }: URL): Response {
    if (method === "POST") this.posts.push(pathname);
    this.onAsked(pathname);
    if (pathname === "/server_info") {
      return Response.json({ state: "DRAINING", version: "x", uptime_current_epoch: "1s" });
    }
    const names = ["http.ingress.downstream_cx_active", "http.ingress.downstream_rq_active"];
    return Response.json({ stats: names.map((name) => ({ name, value: 0 })) });
  }
}

interface Run {
  readonly lines: string[];
  readonly code: number;
}

/** Starts a router, which is told to stop while Envoy is asked for `path`, and stops it. */
async function stoppedWhileAsked(envoy: DrainingEnvoy, path: string): Promise<Run> {
  let stopping = false;
  envoy.onAsked = (asked) => stopping ||= asked === path;
  const lines: string[] = [];
  const clock = monotonicClock();
  const log = openLog(clock, wallClock, "info", (bytes) => {
    lines.push(new TextDecoder().decode(bytes));
    return Promise.resolve(bytes.length);
  });
  const ports = { portExtproc: 0, portXds: 0, statusPort: choosePort(), metricsListenAddr: "" };
  const { effective, derived } = checkFlags(settingsOf({
    ...{ ...ports, statusAddress: "127.0.0.1", drainDelayMs: 60_000 },
    ...{ ateapiAddress: NOBODY, envoyAdminAddress: envoy.address },
  }));
  const router: Router = await startRouter({
    sourced: effective,
    derived,
    build: { version: "test", commit: "test", runtime: "test" },
    clock,
    wall: wallClock,
    log: log.logger,
    logLinesDropped: log.dropped,
    env: {},
    stopping: () => stopping,
  });
  const code = await router.stop("SIGTERM");
  await router.close();
  await log.close();
  return { lines, code };
}

Deno.test("a signal while Envoy is taken back: it is drained again, without a delay", async () => {
  await using envoy = new DrainingEnvoy();
  const { lines, code } = await stoppedWhileAsked(envoy, "/healthcheck/ok");
  assertEquals(envoy.posts, ["/healthcheck/ok", "/healthcheck/fail"]);
  assertEquals([code, lines.some((line) => line.includes('"msg":"ready"'))], [0, false]);
});

Deno.test("a signal before that: Envoy is left draining", async () => {
  await using envoy = new DrainingEnvoy();
  const { code } = await stoppedWhileAsked(envoy, "/server_info");
  assertEquals([envoy.posts, code], [[], 0]);
});
