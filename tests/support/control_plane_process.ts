// The simulated control plane as a child process: it can be killed, restarted on its port, stopped
// in the middle of everything and resumed. Used by tests/e2e.
import process from "node:process";
import type { Step } from "../../src/sim/model.ts";
import { collectLines, type Lines } from "./lines.ts";
import { until } from "./until.ts";

const MAIN = new URL("./control_plane_main.ts", import.meta.url).pathname;
const START_MS_MAX = 60_000;

/** Actor -> what it is answered; the last step goes on for ever. */
export type Scripts = Readonly<Record<string, readonly Step[]>>;

interface Running {
  readonly child: Deno.ChildProcess;
  readonly stdin: WritableStreamDefaultWriter<Uint8Array>;
  readonly out: Lines;
}

/** A running control plane, or one that is away. Dispose of it. */
export class ControlPlaneProcess implements AsyncDisposable {
  #running: Running | undefined;
  #address = "";

  static async start(): Promise<ControlPlaneProcess> {
    const plane = new ControlPlaneProcess();
    await plane.up();
    return plane;
  }

  /** `host:port`, the same over restarts. */
  get address(): string {
    return this.#address;
  }

  get port(): number {
    return Number(this.#address.split(":").at(-1) || 0);
  }

  /** Starts it, on the same port as before and with these scripts. */
  async up(scripts: Scripts = {}): Promise<void> {
    const child = new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "-A",
        "--quiet",
        "--no-check",
        MAIN,
        String(this.port),
        JSON.stringify(scripts),
      ],
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    const out = collectLines(child.stdout);
    this.#running = { child, stdin: child.stdin.getWriter(), out };
    this.#address = await until("the control plane to listen", () => out.all()[0], START_MS_MAX);
  }

  /** Sets what it answers for an actor; the last step goes on for ever. */
  async script(actorId: string, ...steps: readonly Step[]): Promise<void> {
    const { stdin, out } = this.#up();
    const said = out.all().length;
    await stdin.write(new TextEncoder().encode(`${JSON.stringify({ actorId, steps })}\n`));
    await until("the script to be taken", () => out.all().length > said);
  }

  /** SIGKILL, or SIGTERM: GOAWAY, calls in progress are answered. Resolves when it is gone. */
  async end(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    const { child, stdin, out } = this.#up();
    this.#running = undefined;
    child.kill(signal);
    await child.status;
    await out.done;
    await stdin.close().catch(() => {});
  }

  /** Nothing moves in it any more; its connections stay. */
  freeze(): void {
    process.kill(this.#up().child.pid, "SIGSTOP");
  }

  thaw(): void {
    process.kill(this.#up().child.pid, "SIGCONT");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#running) await this.end("SIGKILL");
  }

  #up(): Running {
    if (this.#running === undefined) throw new Error("Cannot use control plane: it is away");
    return this.#running;
  }
}
