// B51 through the whole program.
import { assertEveryAddressBinds, assertTakenPortsEndTheStart } from "../support/listening.ts";

Deno.test("B51: a taken port ends the start with 1 and its address, nothing is left open", async () => {
  await assertTakenPortsEndTheStart();
});

Deno.test("B51: every form of an address binds, and ready means all of them", async () => {
  await assertEveryAddressBinds();
});
