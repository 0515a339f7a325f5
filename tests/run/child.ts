// Runs a Deno of the same kind as a child: its output is passed on as it comes and kept, and when
// its time is over the whole process group is ended, so that no Envoy or router outlives its test.
import type { Ending } from "./counts.ts";

/** Between the polite signal and the last one. */
const KILL_AFTER_MS = 5_000;
/** Output of children of the child that outlive it is awaited this long. */
const LINGER_MS = 1_000;

export interface Finished extends Ending {
  /** Standard output. */
  readonly output: string;
}

export interface ChildOptions {
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly limitMs: number;
  /** Where its output goes while it runs. */
  readonly write: (chunk: Uint8Array) => void;
}

function signalGroup(pid: number, signal: Deno.Signal): void {
  try {
    Deno.kill(-pid, signal);
  } catch (error) {
    // The group is gone already.
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** Reads a stream to its end, or until nobody wants it any more. */
async function pump(
  stream: ReadableStream<Uint8Array>,
  stop: AbortSignal,
  chunk: (bytes: Uint8Array) => void,
): Promise<void> {
  const reader = stream.getReader();
  const cancel = () => reader.cancel().catch(() => {});
  stop.addEventListener("abort", cancel, { once: true });
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    chunk(value);
  }
  stop.removeEventListener("abort", cancel);
}

/** Ends the child when its time is over. @returns how to stop watching, and whether it was. */
function watchdog(pid: number, limitMs: number): { stop(): void; timedOut(): boolean } {
  let over = false;
  let kill: ReturnType<typeof setTimeout> | undefined;
  const limit = setTimeout(() => {
    over = true;
    signalGroup(pid, "SIGTERM");
    kill = setTimeout(() => signalGroup(pid, "SIGKILL"), KILL_AFTER_MS);
  }, limitMs);
  return {
    stop() {
      clearTimeout(limit);
      clearTimeout(kill);
    },
    timedOut: () => over,
  };
}

/** Ends the child when we are ended: in a group of its own it does not hear of it. */
function endWithUs(pid: number): () => void {
  const ends = (["SIGINT", "SIGTERM"] as const).map((signal) => {
    const end = () => {
      signalGroup(pid, "SIGKILL");
      Deno.exit(signal === "SIGINT" ? 130 : 143);
    };
    Deno.addSignalListener(signal, end);
    return () => Deno.removeSignalListener(signal, end);
  });
  return () => ends.forEach((forget) => forget());
}

/** Runs Deno with these words; never rejects because of what the child does. */
export async function runDeno(options: ChildOptions): Promise<Finished> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [...options.args],
    env: { ...options.env },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    detached: true,
  }).spawn();
  const stopped = new AbortController();
  const decoder = new TextDecoder();
  let output = "";
  const pumps = Promise.all([
    pump(child.stdout, stopped.signal, (bytes) => {
      output += decoder.decode(bytes, { stream: true });
      options.write(bytes);
    }),
    pump(child.stderr, stopped.signal, options.write),
  ]);
  const forget = endWithUs(child.pid);
  const watch = watchdog(child.pid, options.limitMs);
  const status = await child.status;
  watch.stop();
  forget();
  const linger = setTimeout(() => stopped.abort(), LINGER_MS);
  await pumps;
  clearTimeout(linger);
  signalGroup(child.pid, "SIGKILL");
  return { code: status.code, signal: status.signal, timedOut: watch.timedOut(), output };
}
