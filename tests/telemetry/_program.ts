// The router as the real program with a fake Envoy in front and a fake control plane behind, its log,
// pages and exported telemetry at hand.
import type { Snapshot } from "../../src/admin/snapshot.ts";
import { freePort } from "../../src/sim/free_port.ts";
import { ExtProcPeer, type PeerAnswer } from "../support/ext_proc_peer.ts";
import { FakeControlPlane } from "../support/fake_control_plane.ts";
import { collectLines, type Lines } from "../support/lines.ts";
import { until } from "../support/until.ts";
import { type Page, parsePage } from "./_page.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
export const DOMAIN = "actors.resources.substrate.ate.dev";

export type LogLine = Readonly<Record<string, unknown>>;

export interface ProgramOptions {
  readonly flags?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** What is run. Default: the program. */
  readonly main?: string;
}

/** Budget 2 s, four slots, exact delays, no Envoy to drain. */
const FLAGS = {
  "ateapi-auth": "insecure",
  "envoy-admin-address": "",
  "status-address": "127.0.0.1",
  "port-extproc": "0",
  "port-xds": "0",
  "drain-delay": "0s",
  "parked-request-budget": "2s",
  "parked-request-max": "4",
  "parked-request-retry-jitter": "0",
  "metrics-listen-addr": "127.0.0.1:0",
};

/** The command that runs the router with these words. */
export function routerCommand(
  words: readonly string[],
  { env = {}, main = "main.ts" }: ProgramOptions,
): Deno.Command {
  const source = ["run", "-A", "--quiet", "--no-check", main];
  return new Deno.Command(Deno.execPath(), {
    args: [...source, ...words],
    cwd: ROOT,
    env: { ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
}

/** Words of `serve` for the test flags and those of the test. */
export function serveWords(controlPlane: string, flags: Readonly<Record<string, string>> = {}) {
  const all = {
    ...FLAGS,
    "ateapi-address": controlPlane,
    "status-port": `${freePort("127.0.0.1")}`,
    ...flags,
  };
  return ["serve", ...Object.entries(all).map(([name, value]) => `--${name}=${value}`)];
}

/** A running router between both fakes. */
export class Program implements AsyncDisposable {
  readonly exit: Promise<number>;
  readonly #parts = new AsyncDisposableStack();
  readonly #child: Deno.ChildProcess;
  readonly #out: Lines;
  readonly #err: Lines;
  #ready: LogLine = {};
  #peer: ExtProcPeer | undefined;

  private constructor(readonly plane: FakeControlPlane, child: Deno.ChildProcess) {
    this.#child = child;
    this.#out = collectLines(child.stdout);
    this.#err = collectLines(child.stderr);
    this.exit = child.status.then(({ code }) => code);
    this.#parts.use(plane);
  }

  static async start(options: ProgramOptions = {}): Promise<Program> {
    const plane = await FakeControlPlane.start();
    const words = serveWords(plane.address, options.flags);
    const program = new Program(plane, routerCommand(words, options).spawn());
    try {
      await program.#becomeReady();
    } catch (error) {
      await program[Symbol.asyncDispose]();
      throw error;
    }
    return program;
  }

  async #becomeReady(): Promise<void> {
    let ended = false;
    void this.exit.then(() => ended = true);
    this.#ready = await until("the router to be ready", () => {
      if (ended) throw new Error(`Cannot start the router: ${this.everything()}`);
      return this.log().find((line) => line.msg === "ready");
    }, 60_000);
    await this.reconnect();
  }

  /**
   * From now on requests come on a new connection; those on the old one go on. The HTTP/2 library of
   * the fake Envoy ends a connection on which more than a thousand streams were reset.
   */
  async reconnect(): Promise<void> {
    const port = Number(String(this.#ready.extproc).split(":").at(-1));
    this.#peer = this.#parts.use(await ExtProcPeer.connect(port));
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** The newest connection of the fake Envoy. */
  get peer(): ExtProcPeer {
    if (!this.#peer) throw new Error("Cannot ask before the router is ready");
    return this.#peer;
  }

  log(): LogLine[] {
    return this.#out.all().filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
  }

  /** All it wrote, on both outputs. */
  everything(): string {
    return [...this.#out.all(), ...this.#err.all()].join("\n");
  }

  /** The log line with this message, as soon as it is there. */
  said(msg: string): Promise<LogLine> {
    return until(`the line ${msg}`, () => this.log().find((line) => line.msg === msg));
  }

  /** One request for an actor of the atespace `demo`. */
  ask(
    actorId: string,
    headers?: Readonly<Record<string, string>>,
    metadata?: Readonly<Record<string, string>>,
  ): Promise<PeerAnswer> {
    const all = { ":authority": `${actorId}.demo.${DOMAIN}`, ":path": "/p", ...headers };
    return this.peer.ask(Object.entries(all), metadata);
  }

  async read(path: string, headers: Record<string, string> = {}): Promise<string> {
    return await (await fetch(`http://${this.#ready.status}${path}`, { headers })).text();
  }

  async status(): Promise<Snapshot> {
    return JSON.parse(await this.read("/statusz?format=json"));
  }

  statusWhen(what: string, fits: (status: Snapshot) => boolean, msMax?: number): Promise<Snapshot> {
    return until(what, async () => {
      const status = await this.status();
      return fits(status) ? status : undefined;
    }, msMax);
  }

  /** Address of the Prometheus page. */
  get metricsAddress(): string {
    return String(this.#ready.metrics);
  }

  async pageText(): Promise<string> {
    return await (await fetch(`http://${this.metricsAddress}/metrics`)).text();
  }

  async page(): Promise<Page> {
    return parsePage(await this.pageText());
  }

  signal(signal: Deno.Signal): void {
    this.#child.kill(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.#child.kill("SIGKILL");
    } catch {
      // Gone already.
    }
    await Promise.all([this.exit, this.#out.done, this.#err.done]);
    await this.#parts.disposeAsync();
  }
}
