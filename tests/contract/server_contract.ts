// What every implementation of the server port must do (src/extproc/port.ts). Each implementation
// has a test file beside this one that calls serverContract.
import type { Serve } from "../../src/extproc/port.ts";
import { exchangeContract } from "./server_exchange.ts";
import { lifeContract } from "./server_life.ts";

/** Registers the contract's tests; `name` tells implementations apart in their titles. */
export function serverContract(name: string, serve: Serve): void {
  exchangeContract(name, serve);
  lifeContract(name, serve);
}
