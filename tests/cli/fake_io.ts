// A world for the command line: outputs that are kept, files and variables from a table, a router
// and a demonstration that only remember how they were started.
import type { SourcedSettings } from "../../src/check/settings.ts";
import type { CliIo, DemoOptions, Output, Reply, RunOptions } from "../../src/cli/io.ts";
import { main } from "../../src/cli/main.ts";

export interface World {
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  /** Answers to `get` by URL. */
  readonly replies?: Readonly<Record<string, Reply | Error>>;
  /** How often a watch goes on before the user interrupts. */
  readonly pauses?: number;
  readonly terminal?: boolean;
  /** How many writes each output takes before its reader has gone. */
  readonly writes?: number;
  /** What the router and the demonstration end with. */
  readonly exit?: number;
}

/** How something was started. */
export interface Start {
  readonly what: "run" | "demo";
  readonly settings: SourcedSettings;
  readonly options: RunOptions | DemoOptions;
}

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly starts: readonly Start[];
  /** URLs that were asked. */
  readonly asked: readonly string[];
}

class Kept implements Output {
  text = "";
  isClosed = false;
  readonly isTerminal: boolean;
  #writes: number;
  constructor({ terminal = false, writes = Infinity }: World) {
    this.isTerminal = terminal;
    this.#writes = writes;
  }
  write(text: string): void {
    if (--this.#writes < 0) this.isClosed = true;
    else this.text += text;
  }
}

/** Runs one call in a world. */
export async function call(args: readonly string[], world: World = {}): Promise<Outcome> {
  const [stdout, stderr] = [new Kept(world), new Kept(world)];
  const starts: Start[] = [];
  const asked: string[] = [];
  let pauses = world.pauses ?? 0;
  const started = (what: Start["what"]) => (settings: SourcedSettings, options: RunOptions) => {
    starts.push({ what, settings, options });
    return Promise.resolve(world.exit ?? 0);
  };
  const io: CliIo = {
    stdout,
    stderr,
    env: (name) => world.env?.[name],
    readTextFile: (path) => {
      const text = world.files?.[path];
      return text === undefined
        ? Promise.reject(new Deno.errors.NotFound(`No such file or directory (os error 2)`))
        : Promise.resolve(text);
    },
    get: (url) => {
      asked.push(url);
      const reply = world.replies?.[url];
      if (reply === undefined) {
        return Promise.reject(new TypeError("Connection refused (os error 111)"));
      }
      return reply instanceof Error ? Promise.reject(reply) : Promise.resolve(reply);
    },
    pause: () => Promise.resolve(--pauses >= 0),
    runtime: "deno 0.0.0",
    run: started("run"),
    demo: started("demo"),
  };
  const code = await main(args, io);
  return { code, stdout: stdout.text, stderr: stderr.text, starts, asked };
}

/** First lines of the messages in a text, without the label. */
export function headlines(text: string): string[] {
  return text.split("\n")
    .filter((line) => /^(error|warn|note) /.test(line))
    .map((line) => line.slice(7));
}
