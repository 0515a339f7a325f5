// The router as the real program: a child process on ports the system chooses, its log and its
// status document at hand. Used by tests/e2e.
import type { Snapshot } from "../../src/admin/snapshot.ts";
import type { SettingName } from "../../src/check/settings.ts";
import { UNSUPPORTED } from "../../src/cli/unsupported.ts";
import type { Bootstrap } from "../../src/envoy/types.ts";
import { isFreePort } from "../../src/sim/free_port.ts";
import { collectLines, type Lines } from "./lines.ts";
import { until } from "./until.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const READY_MS_MAX = 60_000;

/** One line of the router's log. */
export interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

function program(args: readonly string[]): Deno.Command {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", "--no-check", "main.ts", ...args],
    cwd: ROOT,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
}

/** What a run of the program that ends by itself says. */
export interface ProgramResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the program to its end. */
export async function runProgram(args: readonly string[]): Promise<ProgramResult> {
  const { code, stdout, stderr } = await program(args).output();
  const text = new TextDecoder();
  return { code, stdout: text.decode(stdout), stderr: text.decode(stderr) };
}

/** The bootstrap that the program prints for these flags. */
export async function printedBootstrap(flags: readonly string[]): Promise<Bootstrap> {
  const { code, stdout, stderr } = await runProgram(["envoy", "--format=json", ...flags]);
  if (code !== 0) throw new Error(`Cannot print bootstrap: exit ${code}: ${stderr}`);
  return JSON.parse(stdout);
}

/** Keeps routers off one port, as soon as the flag for it is known. */
function offWhenBuilt(setting: SettingName, flag: string): string[] {
  return UNSUPPORTED.includes(setting) ? [] : [flag];
}

/**
 * For the status port 0 means off. A port below those that the system hands out to clients, which
 * nobody has now.
 */
function chooseStatusPort(): number {
  for (;;) {
    const port = 10_240 + Math.floor(Math.random() * 20_000);
    if (isFreePort("127.0.0.1", port)) return port;
  }
}

/** A running router. Dispose of it, or `kill()`. */
export class RouterProcess implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #out: Lines;
  readonly #err: Lines;
  readonly extprocPort: number;
  readonly statusPort: number;
  /** Exit code, when it is gone. */
  readonly exit: Promise<number>;

  private constructor(child: Deno.ChildProcess, out: Lines, err: Lines, ready: LogLine) {
    this.#child = child;
    this.#out = out;
    this.#err = err;
    this.extprocPort = portOf(ready["extproc"]);
    this.statusPort = portOf(ready["status"]);
    this.exit = child.status.then(({ code }) => code);
  }

  /**
   * @param extprocPort 0 = the system chooses.
   * @throws {Error} with the program's own words when it does not become ready.
   */
  static async start(flags: readonly string[], extprocPort = 0): Promise<RouterProcess> {
    const ports = [
      `--port-extproc=${extprocPort}`,
      `--status-port=${chooseStatusPort()}`,
      ...offWhenBuilt("metricsListenAddr", "--metrics-listen-addr="),
      ...offWhenBuilt("portXds", "--port-xds=0"),
    ];
    const child = program(["serve", ...ports, ...flags]).spawn();
    const [out, err] = [collectLines(child.stdout), collectLines(child.stderr)];
    let ended = false;
    child.status.then(() => ended = true);
    try {
      const ready = await until("the router to be ready", () => {
        if (ended) throw new Error("it ended");
        return parseLog(out.all()).find(({ msg }) => msg === "ready");
      }, READY_MS_MAX);
      return new RouterProcess(child, out, err, ready);
    } catch (error) {
      if (!ended) child.kill("SIGKILL");
      await Promise.all([child.status, out.done, err.done]);
      const words = [...out.all(), ...err.all()].join("\n");
      throw new Error(`Cannot start the router: ${words}`, { cause: error });
    }
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** The log so far. */
  log(): LogLine[] {
    return parseLog(this.#out.all());
  }

  /** What it wrote on stderr. */
  complaints(): string[] {
    return this.#err.all();
  }

  /** The status document. */
  async status(): Promise<Snapshot> {
    const response = await fetch(`http://127.0.0.1:${this.statusPort}/statusz?format=json`);
    if (response.status !== 200) throw new Error(`Cannot read /statusz: ${response.status}`);
    return await response.json();
  }

  /** The status document as soon as it fits. */
  async statusWhen(what: string, fits: (status: Snapshot) => boolean): Promise<Snapshot> {
    return await until(what, async () => {
      const status = await this.status();
      return fits(status) ? status : undefined;
    });
  }

  signal(signal: Deno.Signal): void {
    this.#child.kill(signal);
  }

  /** SIGKILL. Idempotent. */
  async kill(): Promise<void> {
    try {
      this.#child.kill("SIGKILL");
    } catch {
      // Gone already.
    }
    await Promise.all([this.exit, this.#out.done, this.#err.done]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill();
  }
}

function parseLog(lines: readonly string[]): LogLine[] {
  return lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
}

function portOf(address: unknown): number {
  return Number(String(address).split(":").at(-1));
}
