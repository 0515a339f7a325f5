// The world as the operating system has it, for the program itself. The router is loaded only when
// it is run: `validate` and `--help` start without it.
import { directFetch } from "../envoy/admin_http.ts";
import type { CliIo, Output, Reply } from "./io.ts";
import { main } from "./main.ts";
import { giveUpAtServe, giveUpAtStart } from "./permissions.ts";

const NO_OUTPUT = "Cannot write as output";

/** The program: words of the process in, its exit code out. Never rejects. */
export async function runProcess(args: readonly string[]): Promise<number> {
  giveUpAtStart(args);
  const io = realIo();
  try {
    return await main(args, io);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const whose = message.startsWith(NO_OUTPUT) ? "" : "a fault of its own: ";
    io.stderr.write(`atenet-router: ${whose}${message}\n`);
    return 1;
  }
}

function realIo(): CliIo {
  const stdout = output(Deno.stdout);
  return {
    stdout,
    stderr: output(Deno.stderr),
    env: (name) => Deno.env.get(name),
    readTextFile,
    get,
    pause,
    runtime: `deno ${Deno.version.deno}`,
    run: async (settings, options) => {
      giveUpAtServe(settings.values.drainCompleteFile);
      const { serve } = await import("../app.ts");
      return await serve(settings, options);
    },
    demo: async (settings, { stay, build }) => {
      const { demo } = await import("../app.ts");
      const write = (text: string) => stdout.write(text);
      return await demo(settings, { stay, build, out: { terminal: stdout.isTerminal, write } });
    },
  };
}

/** No file of words is larger; a device may have no end. */
const FILE_BYTES_MAX = 64 * 1024 * 1024;

async function readTextFile(path: string): Promise<string> {
  // The runtime opens no device that it cannot name, and this one is open already.
  const file = path === "/dev/stdin" ? Deno.stdin : await Deno.open(path);
  try {
    return await textOf(file);
  } catch (error) {
    // What a fatal decoder throws has no name of its own.
    if (error instanceof TypeError) throw new Deno.errors.InvalidData(path, { cause: error });
    throw error;
  } finally {
    file.close();
  }
}

async function textOf(file: { read: Deno.FsFile["read"] }): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const chunk = new Uint8Array(65_536);
  let text = "";
  for (let total = 0;;) {
    const count = await file.read(chunk);
    if (count === null) return text + decoder.decode();
    total += count;
    if (total > FILE_BYTES_MAX) throw new Error("it is larger than 64 MiB");
    text += decoder.decode(chunk.subarray(0, count), { stream: true });
  }
}

/** The global fetch would ask the proxy of the environment for a router on this machine. */
async function get(url: string, timeoutMs: number): Promise<Reply> {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(new Error("no answer in time")), timeoutMs);
  try {
    const response = await directFetch(url, { signal: abort.signal });
    const contentType = response.headers.get("content-type") ?? "";
    return { status: response.status, contentType, body: await response.text() };
  } finally {
    clearTimeout(timer);
  }
}

function pause(ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (waited: boolean) => {
      clearTimeout(timer);
      Deno.removeSignalListener("SIGINT", interrupted);
      resolve(waited);
    };
    const interrupted = () => end(false);
    const timer = setTimeout(() => end(true), ms);
    Deno.addSignalListener("SIGINT", interrupted);
  });
}

function output(stream: typeof Deno.stdout | typeof Deno.stderr): Output {
  const encoder = new TextEncoder();
  let isClosed = false;
  return {
    isTerminal: stream.isTerminal(),
    get isClosed() {
      return isClosed;
    },
    write(text) {
      try {
        writeAll(stream, encoder.encode(text));
      } catch (error) {
        // `atenet-router … | head`: the reader has seen enough. And who cannot hear a complaint
        // still gets the exit code of what it was about.
        if (error instanceof Deno.errors.BrokenPipe) isClosed = true;
        if (isClosed || stream === Deno.stderr) return;
        const why = error instanceof Error ? error.message : String(error);
        throw new Error(`${NO_OUTPUT}: ${why}`, { cause: error });
      }
    },
  };
}

/** A reader that is slow is looked at again after so long. */
const BLOCKED_MS = 20;
/** A pipe takes so much whole or not at all (PIPE_BUF). */
const PIECE_BYTES_MAX = 4_096;
const LINE_FEED = 10;
const nobody = new Int32Array(new SharedArrayBuffer(4));

/**
 * A pipe that the parent made non-blocking refuses what does not fit: the rest waits, as it does at
 * one that blocks. Pieces end with a line, or the runtime's own buffer hides what was taken.
 * @throws the system's error.
 */
function writeAll(stream: { writeSync(bytes: Uint8Array): number }, text: Uint8Array): void {
  for (let at = 0; at < text.length;) {
    const end = text.lastIndexOf(LINE_FEED, at + PIECE_BYTES_MAX - 1) + 1;
    try {
      at += stream.writeSync(text.subarray(at, end > at ? end : at + PIECE_BYTES_MAX));
    } catch (error) {
      const { WouldBlock, Interrupted } = Deno.errors;
      if (!(error instanceof WouldBlock || error instanceof Interrupted)) throw error;
      Atomics.wait(nobody, 0, 0, BLOCKED_MS);
    }
  }
}
