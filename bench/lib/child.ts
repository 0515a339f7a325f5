// A child process that says on its first JSON line that it is ready, and ends with a signal.
// Owned by the scenario that starts it; every benchmark stops its children in a finally.

import { deadline } from "@std/async";

export interface ChildOptions {
  /** Arguments of this Deno. */
  readonly args: readonly string[];
  /** Is this line the one that says ready? */
  readonly ready: (line: Record<string, unknown>) => boolean;
  /** Longest wait for it. */
  readonly readyMs?: number;
  /** What ends it. Default SIGTERM. */
  readonly endSignal?: Deno.Signal;
}

const READY_MS = 30_000;
const TERM_MS = 20_000;
const KEPT_LINES = 40;

export class BenchChild implements AsyncDisposable {
  readonly #process: Deno.ChildProcess;
  readonly #endSignal: Deno.Signal;
  readonly #lines: string[] = [];
  readonly #reading: Promise<void>;
  readonly #ready = Promise.withResolvers<Record<string, unknown>>();

  private constructor(options: ChildOptions) {
    this.#process = new Deno.Command(Deno.execPath(), {
      args: [...options.args],
      stdin: "null",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    this.#endSignal = options.endSignal ?? "SIGTERM";
    this.#reading = this.#read(options.ready);
  }

  /** @returns the child and the line that said ready. @throws {Error} when it does not come. */
  static async start(options: ChildOptions): Promise<[BenchChild, Record<string, unknown>]> {
    const child = new BenchChild(options);
    try {
      return [child, await deadline(child.#ready.promise, options.readyMs ?? READY_MS)];
    } catch (error) {
      const last = child.#lines.join("\n");
      await child[Symbol.asyncDispose]();
      throw new Error(`Cannot start as a child: ${options.args.join(" ")}\n${last}`, {
        cause: error,
      });
    }
  }

  get pid(): number {
    return this.#process.pid;
  }

  /** Its last lines of output. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const timer = setTimeout(() => this.#kill("SIGKILL"), TERM_MS);
    this.#kill(this.#endSignal);
    await this.#process.status;
    clearTimeout(timer);
    await this.#reading;
  }

  #kill(signal: Deno.Signal): void {
    try {
      this.#process.kill(signal);
    } catch {
      // It has ended.
    }
  }

  async #read(ready: ChildOptions["ready"]): Promise<void> {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of this.#process.stdout) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.#line(line, ready);
    }
    this.#ready.reject(new Error("it has ended"));
  }

  #line(line: string, ready: ChildOptions["ready"]): void {
    this.#lines.push(line);
    if (this.#lines.length > KEPT_LINES) this.#lines.shift();
    try {
      const value = JSON.parse(line);
      if (ready(value)) this.#ready.resolve(value);
    } catch {
      // Not every line is JSON.
    }
  }
}
