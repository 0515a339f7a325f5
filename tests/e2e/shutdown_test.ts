// SIGTERM while requests are parked: each gets its budget and a normal verdict, then the program ends.
import { assertEquals, assertGreaterOrEqual } from "@std/assert";
import { C0, OK, RX, startStack, TRANSPORTS } from "../support/stack.ts";

for (const transport of TRANSPORTS) {
  Deno.test(`B17: ${transport}: parked requests outlive SIGTERM and end with a verdict`, async () => {
    const flags = {
      ...C0,
      "parked-request-budget": "3s",
      "drain-delay": "0s",
      "grpc-transport": transport,
    };
    await using stack = await startStack({ flags });
    const ids = ["a1", "a2", "a3", "a4"];
    for (const id of ids) stack.script(id, RX);
    const replies = ids.map((id) => stack.ask(id));
    await stack.parked(4);
    stack.router.signal("SIGTERM");
    await stack.router.statusWhen("the shutdown to begin", ({ drain }) => drain !== null);
    stack.script("a1", OK);
    const [served, ...others] = await Promise.all(replies);
    assertEquals(served?.status, 200, served?.body);
    for (const reply of others) {
      assertEquals(reply.status, 503);
      assertEquals(reply.body.endsWith("unavailable: no free workers available"), true, reply.body);
      assertGreaterOrEqual(reply.tookMs, 2_900, "the full budget");
    }
    assertEquals(await stack.router.exit, 0);
  });
}
