// The implementations of the ports, as the product wires them, and how a contract test is registered
// for each: what src/extproc/port.ts, src/controlplane/port.ts and the dials of src/h2/grpc/types.ts
// promise must hold on all of them.
import { transportOf } from "../../src/app/transport.ts";
import type { Connect } from "../../src/controlplane/port.ts";
import type { Serve } from "../../src/extproc/port.ts";
import { dialGrpcJs } from "../../src/grpcjs/dial.ts";
import type { DialUnary } from "../../src/h2/grpc/types.ts";
import { dialGrpc } from "../../src/h2/grpc_client.ts";

const NAMES = ["grpc-js", "native"] as const;
const DIALS: Readonly<Record<typeof NAMES[number], DialUnary>> = {
  "grpc-js": dialGrpcJs,
  native: dialGrpc,
};

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

/** A promise of a dial and the connection it makes. */
export function dialTest(what: string, body: (dial: DialUnary) => Promise<void>): void {
  for (const name of NAMES) Deno.test(`${what} (dial, ${name})`, () => body(DIALS[name]));
}
