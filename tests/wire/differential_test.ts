// Our scan against the generated protobuf-es code: the same result or a clean refusal.
import { assert, assertEquals } from "@std/assert";
import { hex } from "./support/bytes.ts";
import { Random, seedOf } from "./support/random.ts";
import { damaged, wholeRequest } from "./support/random_requests.ts";
import { ours, theirs } from "./support/reference.ts";

const MESSAGES = 60_000;

Deno.test("whole messages in every disguise read exactly as protobuf-es reads them", () => {
  const random = new Random(seedOf("differential, whole"));
  const kinds = new Set<unknown>();
  for (let i = 0; i < MESSAGES / 2; i++) {
    const bytes = wholeRequest(random);
    const expected = theirs(bytes);
    assert(expected !== undefined, `not a whole message: ${hex(bytes)}`);
    assertEquals(ours(bytes), expected, `message ${i}: ${hex(bytes)}`);
    kinds.add(expected.kind);
  }
  assertEquals([...kinds].sort(), [0, 2, 3, 4, 5, 6, 7]);
});

Deno.test("damaged messages read as protobuf-es reads them or are refused cleanly", () => {
  const random = new Random(seedOf("differential, damaged"));
  let same = 0;
  let refused = 0;
  for (let i = 0; i < MESSAGES / 2; i++) {
    const bytes = damaged(random, wholeRequest(random));
    const reading = ours(bytes);
    if (reading === undefined) {
      refused++;
    } else {
      assertEquals(reading, theirs(bytes), `message ${i}: ${hex(bytes)}`);
      same++;
    }
  }
  assert(same > 3_000 && refused > 3_000, `one-sided: ${same} read, ${refused} refused`);
});
