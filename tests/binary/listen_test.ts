// B51 through the binary.
import { assertEveryAddressBinds, assertTakenPortsEndTheStart } from "../support/listening.ts";
import { binaryTest } from "./_binary.ts";

binaryTest(
  "B51: the binary ends at a taken port with 1 and its address, nothing is left open",
  ({ path }) => assertTakenPortsEndTheStart(path),
);

binaryTest(
  "B51: the binary binds every form of an address, and ready means all of them",
  ({ path }) => assertEveryAddressBinds(path),
);
