// The log: one JSON object a line, `time`, `level`, `msg`, then the fields of that message.
// Place in the flow: everybody -> here -> line_writer -> stdout. Owner: telemetry.
// Every string passes redaction here, so no caller can forget it. Sink and wall clock are injected.
import type { Clock } from "../engine/mod.ts";
import { RateLimit } from "./rate_limit.ts";
import { safeFields, safeText } from "./redact.ts";

export const LEVELS = ["debug", "info", "warn", "error"] as const;
export type Level = typeof LEVELS[number];
export type Fields = Readonly<Record<string, unknown>>;

/** Takes finished lines, without line feed. Never throws, never waits. */
export interface LineSink {
  write(line: string): void;
}

export interface LoggerOptions {
  readonly sink: LineSink;
  /** Epoch ms. */
  readonly wall: () => number;
  /** For the windows of {@link Logger.limited}. */
  readonly clock: Clock;
  readonly level: Level;
}

const REPEATS = { burst: 10, windowMs: 10_000, kindsMax: 256 };
/** Request lines of one message: an overload may shed thousands a second, the count still tells. */
const REQUEST_REPEATS = { burst: 500, windowMs: 1_000, kindsMax: 64 };

interface Left {
  readonly level: Level;
  readonly msg: string;
}

/** Levels in order, one line a call. */
export class Logger {
  readonly #options: LoggerOptions;
  readonly #repeats: RateLimit<Left>;
  readonly #requests: RateLimit<Left>;
  #threshold: number;

  constructor(options: LoggerOptions) {
    this.#options = options;
    this.#threshold = LEVELS.indexOf(options.level);
    const onLeftOut = (left: Left, count: number) =>
      this.log(left.level, left.msg, { left_out: count });
    this.#repeats = new RateLimit(options.clock, { ...REPEATS, onLeftOut });
    this.#requests = new RateLimit(options.clock, { ...REQUEST_REPEATS, onLeftOut });
  }

  get level(): Level {
    return LEVELS[this.#threshold] ?? "info";
  }

  setLevel(level: Level): void {
    this.#threshold = LEVELS.indexOf(level);
  }

  /** Ask before building an expensive line. */
  enabled(level: Level): boolean {
    return LEVELS.indexOf(level) >= this.#threshold;
  }

  log(level: Level, msg: string, fields: Fields = {}): void {
    if (!this.enabled(level)) return;
    this.#options.sink.write(formatLine(this.#options.wall(), level, msg, fields));
  }

  debug(msg: string, fields?: Fields): void {
    this.log("debug", msg, fields);
  }

  info(msg: string, fields?: Fields): void {
    this.log("info", msg, fields);
  }

  warn(msg: string, fields?: Fields): void {
    this.log("warn", msg, fields);
  }

  error(msg: string, fields?: Fields): void {
    this.log("error", msg, fields);
  }

  /**
   * For what may repeat without end: 10 lines of one message in 10 s pass, then one line with
   * `left_out` says how many did not.
   */
  limited(level: Level, msg: string, fields?: Fields): void {
    if (!this.enabled(level)) return;
    if (this.#repeats.take(`${level} ${msg}`, { level, msg })) this.log(level, msg, fields);
  }

  /** As {@link Logger.limited} with room for request lines: 500 of one message in a second. */
  request(level: Level, msg: string, fields?: Fields): void {
    if (!this.enabled(level)) return;
    if (this.#requests.take(`${level} ${msg}`, { level, msg })) this.log(level, msg, fields);
  }

  /** Says what was left out so far and stops the timers. Lines may still be written. */
  close(): void {
    this.#repeats.close();
    this.#requests.close();
  }
}

/** One line, without line feed. `fields` cannot overwrite `time`, `level` and `msg`. */
export function formatLine(wallMs: number, level: Level, msg: string, fields: Fields): string {
  const head = { time: new Date(wallMs).toISOString(), level, msg: safeText(msg) };
  try {
    return JSON.stringify({ ...head, ...safeFields(fields), ...head });
  } catch {
    return JSON.stringify({ ...head, fields: "not printable" });
  }
}
