// The router's log on stdout, and how it ends. Owner: app.
import type { Settings } from "../check/settings.ts";
import type { Clock } from "../engine/mod.ts";
import { LineWriter } from "../telemetry/line_writer.ts";
import { formatLine, Logger } from "../telemetry/log.ts";

const FLUSH_MS = 500;

/** Writes some bytes and says how many: `Deno.stdout.write`. */
export type WriteBytes = (bytes: Uint8Array) => Promise<number>;

export interface RouterLog {
  readonly logger: Logger;
  /** Lines that were dropped because nobody read them or the output failed. */
  dropped(): number;
  /** Writes what waits, within `boundMs` (default 500). */
  close(boundMs?: number): Promise<void>;
}

export function openLog(
  clock: Clock,
  wall: () => number,
  level: Settings["logLevel"],
  write: WriteBytes,
): RouterLog {
  const writer = new LineWriter({
    write,
    clock,
    droppedLine: (dropped) => formatLine(wall(), "warn", "log lines dropped", { dropped }),
  });
  const logger = new Logger({ sink: writer, wall, clock, level });
  return {
    logger,
    dropped: () => writer.counts().dropped,
    close: async (boundMs = FLUSH_MS) => {
      logger.close();
      await writer.flush(boundMs);
    },
  };
}
