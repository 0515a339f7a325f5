// Signals of the operating system. SIGTERM and SIGINT stop the router, the second one at once;
// SIGHUP does nothing (a terminal that goes away must not end a daemon); SIGUSR1 toggles debug
// logging, and what the runtime makes of it is undone. SIGPIPE needs no handler: the runtime ignores
// it and the write fails. Owner: process.
import { closeDebugPort } from "./debug_port.ts";

export type StopSignal = "SIGTERM" | "SIGINT";

export interface SignalHandlers {
  /** `nth` counts both kinds together, from 1. */
  readonly stop: (signal: StopSignal, nth: number) => void;
  readonly hangup?: () => void;
  /** SIGUSR1. */
  readonly toggleDebug?: () => void;
}

/** As `Deno.addSignalListener` and `Deno.removeSignalListener`. */
export interface SignalSource {
  add(signal: Deno.Signal, handler: () => void): void;
  remove(signal: Deno.Signal, handler: () => void): void;
}

const SYSTEM: SignalSource = {
  add: (signal, handler) => Deno.addSignalListener(signal, handler),
  remove: (signal, handler) => Deno.removeSignalListener(signal, handler),
};

/** Installs the handlers. @returns a function that takes them away again. */
export function watchSignals(
  handlers: SignalHandlers,
  source: SignalSource = SYSTEM,
  debugPort: () => void = closeDebugPort,
): () => void {
  let stops = 0;
  const table: readonly (readonly [Deno.Signal, () => void])[] = [
    ["SIGTERM", () => handlers.stop("SIGTERM", ++stops)],
    ["SIGINT", () => handlers.stop("SIGINT", ++stops)],
    ["SIGHUP", () => handlers.hangup?.()],
    ["SIGUSR1", () => {
      debugPort();
      handlers.toggleDebug?.();
    }],
  ];
  for (const [signal, handler] of table) source.add(signal, handler);
  return () => {
    for (const [signal, handler] of table) source.remove(signal, handler);
  };
}
