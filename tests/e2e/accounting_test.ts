// What is counted is what happened: Envoy's reset of every finished stream is a normal end.
import { assertEquals } from "@std/assert";
import { OK, RX, startStack } from "../support/stack.ts";

const ROWS = [["grpc-js", "guard"], ["native", "guard"], ["native", "none"]] as const;

for (const [transport, resetCure] of ROWS) {
  const name = `${transport} and --reset-cure=${resetCure}`;
  Deno.test(`B03: over ${name} a served request is never counted as canceled`, async () => {
    const flags = {
      "parked-request-budget": "30s",
      "parked-request-max": "64",
      "grpc-transport": transport,
    };
    await using stack = await startStack({ resetCure, flags });
    const parked = Array.from({ length: 50 }, (_, i) => `p${i}`);
    const warm = Array.from({ length: 50 }, (_, i) => `w${i}`);
    for (const id of parked) stack.script(id, RX);
    for (const id of warm) stack.script(id, OK);
    const replies = parked.map((id) => stack.ask(id));
    await stack.parked(50);
    const fast = await Promise.all(warm.map((id) => stack.ask(id)));
    for (const id of parked) stack.script(id, OK);
    const served = await Promise.all(replies);
    assertEquals([...fast, ...served].filter(({ status }) => status !== 200), []);
    const { counters } = await stack.quiet();
    assertEquals(counters.waits, {
      served: 50,
      budget_exhausted: 0,
      canceled: 0,
      timeout: 0,
      error: 0,
    });
    assertEquals([counters.parked, counters.shed, counters.requests.ok], [50, 0, 100]);
    assertEquals([counters.requests.cancelled, counters.bugs, counters.warnings], [0, 0, 0]);
    // The router says at its start that this test gave it no place for metrics.
    const bad = stack.router.log()
      .filter(({ level, msg }) => /warn|error/.test(String(level)) && msg !== "telemetry off");
    assertEquals(bad, [], "no complaint about a normal end");
  });
}
