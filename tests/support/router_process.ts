// The router as the real program: a child process on ports the system chooses, its log and its
// status document at hand. Used by tests/e2e.
import type { Snapshot } from "../../src/admin/snapshot.ts";
import type { Bootstrap } from "../../src/envoy/types.ts";
import { freePort } from "../../src/sim/free_port.ts";
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

/** From the first line to `ready` in ms, by the router's own clock: what a test's machine does before
 * the program runs is not in it. NaN when it is not ready. */
export function readyAfterMs(log: readonly LogLine[]): number {
  const at = (msg: string) => Date.parse(String(log.find((line) => line.msg === msg)?.["time"]));
  return at("ready") - at("starting");
}

/** Variables beside those of the test. */
export type Env = Record<string, string>;

/** The program's entry; instead of it one that looks inside it (measured_main.ts), or a binary. */
const MAIN = "main.ts";

function program(args: readonly string[], env: Env = {}, main = MAIN): Deno.Command {
  const isSource = main.endsWith(".ts");
  const source = ["run", "-A", "--quiet", "--no-check", main];
  return new Deno.Command(isSource ? Deno.execPath() : main, {
    args: [...(isSource ? source : []), ...args],
    cwd: ROOT,
    env,
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
export async function runProgram(args: readonly string[], main?: string): Promise<ProgramResult> {
  const { code, stdout, stderr } = await program(args, {}, main).output();
  const text = new TextDecoder();
  return { code, stdout: text.decode(stdout), stderr: text.decode(stderr) };
}

/** The bootstrap that the program prints for these flags. */
export async function printedBootstrap(
  flags: readonly string[],
  main?: string,
): Promise<Bootstrap> {
  const { code, stdout, stderr } = await runProgram(["envoy", "--format=json", ...flags], main);
  if (code !== 0) throw new Error(`Cannot print bootstrap: exit ${code}: ${stderr}`);
  return JSON.parse(stdout);
}

/** For what must know its port before it is bound, like the status port, where 0 means off. */
export function choosePort(): number {
  return freePort("127.0.0.1");
}

/** A running router. Dispose of it, or `kill()`. */
export class RouterProcess implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #out: Lines;
  readonly #err: Lines;
  #ended = false;
  readonly statusPort: number;
  /** Exit code, when it is gone. */
  readonly exit: Promise<number>;

  private constructor(child: Deno.ChildProcess, statusPort: number) {
    this.#child = child;
    this.#out = collectLines(child.stdout);
    this.#err = collectLines(child.stderr);
    this.statusPort = statusPort;
    this.exit = child.status.then(({ code }) => {
      this.#ended = true;
      return code;
    });
  }

  /**
   * Starts it and waits until it is ready.
   * @param extprocPort 0 = the system chooses.
   * @throws {Error} with the program's own words when it does not become ready.
   */
  static async start(
    flags: readonly string[],
    extprocPort = 0,
    env: Env = {},
    main = MAIN,
  ): Promise<RouterProcess> {
    const router = RouterProcess.launch(flags, extprocPort, env, main);
    try {
      await router.ready();
      return router;
    } catch (error) {
      await router.kill();
      const words = [...router.#out.all(), ...router.#err.all()].join("\n");
      throw new Error(`Cannot start the router: ${words}`, { cause: error });
    }
  }

  /** Starts it and waits for nothing. */
  static launch(
    flags: readonly string[],
    extprocPort = 0,
    env: Env = {},
    main = MAIN,
  ): RouterProcess {
    const statusPort = choosePort();
    const given = new Set(flags.map(nameOf));
    const ports = [
      `--port-extproc=${extprocPort}`,
      `--status-port=${statusPort}`,
      "--metrics-listen-addr=",
      "--port-xds=0",
    ].filter((flag) => !given.has(nameOf(flag)));
    const child = program(["serve", ...ports, ...flags], env, main).spawn();
    return new RouterProcess(child, statusPort);
  }

  /** Its `ready` line, as soon as it is there. @throws {Error} when it ended before. */
  async ready(): Promise<LogLine> {
    return await until("the router to be ready", () => {
      const line = this.#readyLine();
      if (line === undefined && this.#ended) throw new Error("Cannot be ready: it ended");
      return line;
    }, READY_MS_MAX);
  }

  /** @throws {Error} before it is ready. */
  get extprocPort(): number {
    const ready = this.#readyLine();
    if (ready === undefined) throw new Error("Cannot tell port: the router is not ready");
    return portOf(ready["extproc"]);
  }

  #readyLine(): LogLine | undefined {
    return this.log().find(({ msg }) => msg === "ready");
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

/** `--name` of `--name=value`. */
function nameOf(flag: string): string {
  return flag.split("=", 1)[0] ?? flag;
}

function parseLog(lines: readonly string[]): LogLine[] {
  return lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
}

function portOf(address: unknown): number {
  return Number(String(address).split(":").at(-1));
}
