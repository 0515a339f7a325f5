// The router is restarted under a running Envoy: new requests wait for the next one, parked ones get
// their verdict from the old router (SIGTERM) or are asked for again at the new one (SIGKILL).
import { assertEquals, assertGreaterOrEqual } from "@std/assert";
import { OK, RX, startStack, TRANSPORTS } from "../support/stack.ts";
import { steadyTraffic } from "../support/traffic.ts";
import { until } from "../support/until.ts";

const PARKED = Array.from({ length: 10 }, (_, i) => `p${i}`);

/** How long there is no router at all, at least. */
const AWAY_MS = 700;
const PER_SECOND = 100;

const ROWS = TRANSPORTS.flatMap((transport) =>
  (["SIGTERM", "SIGKILL"] as const).map((signal) => ({ transport, signal }))
);

for (const { transport, signal } of ROWS) {
  Deno.test(`${transport}: a restart by ${signal} loses no request`, async () => {
    const flags = {
      "drain-delay": "0s",
      "parked-request-budget": "5s",
      "grpc-transport": transport,
    };
    await using stack = await startStack({ flags });
    for (const id of PARKED) stack.script(id, RX);
    const parked = PARKED.map((id) => stack.ask(id));
    await stack.parked(PARKED.length);
    stack.script("warm", OK);
    const warm = steadyTraffic(PER_SECOND, () => stack.ask("warm"));
    const restart = stack.restartRouter(signal, AWAY_MS);
    if (signal === "SIGKILL") {
      await restart;
      await stack.parked(PARKED.length);
    } else {
      await until(
        "the shutdown to begin",
        () => stack.router.log().some(({ msg }) => msg === "drain" || msg.startsWith("shutdown")),
      );
    }
    for (const id of PARKED) stack.script(id, OK);
    const { code, awayMs } = await restart;
    const statuses = (await Promise.all(parked)).map(({ status }) => status);
    assertEquals(statuses, PARKED.map(() => 200));
    const { total, failed } = await warm.stop();
    console.log(`${transport}, ${signal}: away ${awayMs.toFixed(0)} ms, ${total} requests`);
    assertGreaterOrEqual(awayMs, AWAY_MS);
    assertGreaterOrEqual(total, AWAY_MS / 1000 * PER_SECOND, "traffic all the while");
    assertEquals(failed, []);
    assertEquals(code, signal === "SIGTERM" ? 0 : 137);
  });
}
