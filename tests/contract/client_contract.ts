// What every implementation of the control-plane port must do (src/controlplane/port.ts). Each
// implementation has a test file beside this one that calls clientContract.
import type { Connect } from "../../src/controlplane/port.ts";
import { answerContract } from "./client_answers.ts";

/** Registers the contract's tests; `name` tells implementations apart in their titles. */
export function clientContract(name: string, connect: Connect): void {
  answerContract(name, connect);
}
