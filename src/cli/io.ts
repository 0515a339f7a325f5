// Everything the command line reaches the world through. main.ts fills it with the real thing,
// tests with a fake.
import type { Derived } from "../check/derived.ts";
import type { Notice } from "../check/checking.ts";
import type { SourcedSettings } from "../check/settings.ts";
import type { Build } from "./version.ts";

export interface Output {
  /** Writes at once; a reader that has gone is no error. */
  write(text: string): void;
  readonly isTerminal: boolean;
  /** Has a write found that the reader has gone? Nobody will hear of another one. */
  readonly isClosed: boolean;
}

/** Answer of a GET. */
export interface Reply {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** What `serve` knows beyond the settings. */
export interface RunOptions {
  /** To be logged: normalised values, warnings. */
  readonly notices: readonly Notice[];
  readonly derived: Derived;
  readonly build: Build;
}

export interface DemoOptions extends RunOptions {
  /** Keep everything up at the end. */
  readonly stay: boolean;
}

export interface CliIo {
  readonly stdout: Output;
  readonly stderr: Output;
  env(name: string): string | undefined;
  /** Rejects with the system's error. */
  readTextFile(path: string): Promise<string>;
  /** A GET without proxy or redirect; rejects when nobody answers within `timeoutMs`. */
  get(url: string, timeoutMs: number): Promise<Reply>;
  /** Waits; false when the user interrupted. */
  pause(ms: number): Promise<boolean>;
  /** `deno 2.9.3`. */
  readonly runtime: string;
  /** Runs the router until it is stopped; resolves with the exit code. Settings are checked. */
  readonly run: (settings: SourcedSettings, options: RunOptions) => Promise<number>;
  /** Runs the demonstration; resolves with the exit code. */
  readonly demo: (settings: SourcedSettings, options: DemoOptions) => Promise<number>;
}
