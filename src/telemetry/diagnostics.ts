// The SDK's own complaints (a collector that is away, a dropped span) as lines of our log, rate
// limited. Owner: telemetry. Process-wide: the API knows one such place.
import { diag, DiagLogLevel } from "@opentelemetry/api";
import type { Level, Logger } from "./log.ts";

/** Warnings and errors go to `log`; the rest nowhere. @returns takes it back. */
export function logDiagnostics(log: Logger): () => void {
  const say = (level: Level) => (message: string, ...args: unknown[]) =>
    log.limited(level, "telemetry", {
      error: shorten(message),
      detail: args.map(String).join(" "),
    });
  const nothing = () => {};
  diag.setLogger(
    { error: say("warn"), warn: say("warn"), info: nothing, debug: nothing, verbose: nothing },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  return () => diag.disable();
}

/** The SDK hands errors over as JSON with a stack in it; people need the message. */
function shorten(message: string): string {
  try {
    const parsed: unknown = JSON.parse(message);
    if (parsed && typeof parsed === "object" && "message" in parsed) return String(parsed.message);
  } catch {
    // Not JSON: a sentence.
  }
  return message;
}
