// A real Envoy as a child process: started from a bootstrap, ready when it serves, stopped for sure.
// Ports may be 0 in the bootstrap: the ones the system chose are read back from the admin interface.
// Used by the demo.
import type { Clock } from "../engine/mod.ts";
import { pause, until } from "./pause.ts";

export interface EnvoyProcessOptions {
  readonly binary: string;
  /** JSON bootstrap with an admin address. */
  readonly bootstrap: string;
  readonly clock: Clock;
  /** Gives up the start. */
  readonly signal: AbortSignal;
  /** Longest wait until it serves. Default 30 s. */
  readonly readyMs?: number;
}

export interface EnvoyProcess {
  readonly adminPort: number;
  /** Ports of its listeners by name. */
  readonly ports: ReadonlyMap<string, number>;
  /** How it ended, with its last words; undefined while it runs. */
  ended(): string | undefined;
  /** Ends it; resolves when it is gone. Idempotent. */
  stop(): Promise<void>;
}

const READY_MS = 30_000;
const POLL_MS = 50;
const TERM_MS = 3_000;
const LAST_WORDS_MAX = 2_000;

/**
 * Starts Envoy and waits until it is ready and listens.
 * @throws {Error} when it cannot be started or does not become ready; nothing is left running.
 */
export async function startEnvoy(options: EnvoyProcessOptions): Promise<EnvoyProcess> {
  const dir = await Deno.makeTempDir({ prefix: "atenet-envoy-" });
  const child = new Child(options.clock, dir);
  try {
    await child.start(options.binary, options.bootstrap);
    const wait = {
      clock: options.clock,
      everyMs: POLL_MS,
      timeoutMs: options.readyMs ?? READY_MS,
      signal: options.signal,
    };
    const adminPort = await until({ ...wait, what: "Envoy's admin address" }, () => child.admin());
    const ports = await until({ ...wait, what: "Envoy to be ready" }, async () => {
      await child.failWhenEnded();
      return readyPorts(adminPort);
    });
    return { adminPort, ports, ended: () => child.ended, stop: () => child.stop() };
  } catch (error) {
    await child.stop();
    throw error;
  }
}

/** The process and its folder. */
class Child {
  readonly #clock: Clock;
  readonly #dir: string;
  #process: Deno.ChildProcess | undefined;
  #lastWords = "";
  #reading: Promise<void> = Promise.resolve();
  #gone: Promise<void> = Promise.resolve();
  #stopping: Promise<void> | undefined;
  ended: string | undefined;

  constructor(clock: Clock, dir: string) {
    this.#clock = clock;
    this.#dir = dir;
  }

  async start(binary: string, bootstrap: string): Promise<void> {
    const config = `${this.#dir}/bootstrap.json`;
    await Deno.writeTextFile(config, bootstrap);
    const process = new Deno.Command(binary, {
      args: [
        ...["-c", config, "--concurrency", "1", "--log-level", "error"],
        ...["--disable-hot-restart", "--admin-address-path", `${this.#dir}/admin`],
      ],
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).spawn();
    this.#process = process;
    this.#reading = this.#read(process.stderr);
    this.#gone = process.status.then(({ code, signal }) => {
      this.ended = `Envoy ended with ${signal ?? `code ${code}`}`;
    });
  }

  /** Port of the admin interface, once Envoy has written it. */
  async admin(): Promise<number | undefined> {
    await this.failWhenEnded();
    const text = await Deno.readTextFile(`${this.#dir}/admin`).catch(() => "");
    const port = Number(text.slice(text.lastIndexOf(":") + 1));
    return port > 0 ? port : undefined;
  }

  /** @throws {Error} when the process is gone; the message has its last words. */
  async failWhenEnded(): Promise<void> {
    if (this.ended === undefined) return;
    await this.#reading;
    throw new Error(`Cannot start Envoy: ${this.ended}\n${this.#lastWords.trim()}`);
  }

  stop(): Promise<void> {
    return this.#stopping ??= this.#end();
  }

  async #end(): Promise<void> {
    this.#kill("SIGTERM");
    const late = new AbortController();
    const hard = pause(this.#clock, TERM_MS, late.signal).then(() => {
      if (!late.signal.aborted) this.#kill("SIGKILL");
    });
    await this.#gone;
    late.abort();
    await Promise.all([hard, this.#reading]);
    await Deno.remove(this.#dir, { recursive: true });
  }

  #kill(signal: Deno.Signal): void {
    try {
      if (this.ended === undefined) this.#process?.kill(signal);
    } catch {
      // It ended between the question and the signal.
    }
  }

  async #read(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      const text = this.#lastWords + decoder.decode(chunk, { stream: true });
      this.#lastWords = text.slice(-LAST_WORDS_MAX);
    }
  }
}

interface ListenerStatus {
  readonly name: string;
  readonly local_address: { readonly socket_address: { readonly port_value: number } };
}

/** Its listeners, once it is ready; undefined before. */
async function readyPorts(adminPort: number): Promise<Map<string, number> | undefined> {
  const base = `http://127.0.0.1:${adminPort}`;
  try {
    const ready = await fetch(`${base}/ready`);
    await ready.body?.cancel();
    if (ready.status !== 200) return undefined;
    const response = await fetch(`${base}/listeners?format=json`);
    const { listener_statuses } = await response.json() as { listener_statuses?: ListenerStatus[] };
    const ports = (listener_statuses ?? []).map((one) =>
      [one.name, one.local_address.socket_address.port_value] as const
    );
    return ports.length > 0 ? new Map(ports) : undefined;
  } catch {
    return undefined;
  }
}
