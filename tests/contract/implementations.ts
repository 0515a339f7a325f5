// The implementations of the two ports, as the product wires them, and how a contract test is
// registered for each: what src/extproc/port.ts and src/controlplane/port.ts promise must hold on
// all of them.
import { transportOf } from "../../src/app/transport.ts";
import type { Connect } from "../../src/controlplane/port.ts";
import type { Serve } from "../../src/extproc/port.ts";

const NAMES = ["grpc-js", "native"] as const;

/** A promise of the server port. */
export function serverTest(what: string, body: (serve: Serve) => Promise<void>): void {
  for (const name of NAMES) {
    Deno.test(`${what} (server, ${name})`, () => body(transportOf(name).serve));
  }
}

/** A promise of the control-plane port. */
export function clientTest(what: string, body: (connect: Connect) => Promise<void>): void {
  for (const name of NAMES) {
    Deno.test(`${what} (client, ${name})`, () => body(transportOf(name).connect));
  }
}
