// Fuzz target: bytes of an ext_proc stream, against protobuf-es and a plain reading of the header
// rules. See _loop.ts. deno test -A tests/fuzz/ext_proc_fuzz_test.ts
import { assertEquals } from "@std/assert";
import { wholeRequest } from "../wire/support/random_requests.ts";
import { ours, theirs } from "../wire/support/reference.ts";
import { changedBytes } from "./_change.ts";
import { Input } from "./_input.ts";
import { fuzz } from "./_loop.ts";

function run({ bytes }: Input): string {
  const reading = ours(bytes);
  if (reading === undefined) return "refused";
  assertEquals(reading, theirs(bytes));
  return "read";
}

Deno.test("fuzz: any bytes read as protobuf-es reads them or are refused, in bounded time", () =>
  fuzz({
    name: "ext_proc",
    form: "hex",
    fresh: (random) => Input.bytes(wholeRequest(random)),
    changed: (random, { bytes }, other) => Input.bytes(changedBytes(random, bytes, other.bytes)),
    run,
    outcomes: ["read", "refused"],
    breeds: ["read"],
  }));
