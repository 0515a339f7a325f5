// Clients that leave early, on one HTTP/2 connection of a gateway: the requests of those who stay
// survive a crowd that leaves, and a connection that does nothing else is still ended by Envoy.
import { assert, assertEquals } from "@std/assert";
import { EchoWorker } from "../support/echo.ts";
import { routedTo } from "../support/ext_proc_messages.ts";
import { until } from "../support/until.ts";
import { Gateway, statusOf } from "./_gateway.ts";
import { bootstrapOf } from "./_tree.ts";

const KEY = "overload.premature_reset_total_stream_count";
const ENDED = "http.ingress.downstream_rq_too_many_premature_resets";
const STAYING = 10;
/** Envoy's default bears 249. */
const LEAVING = 300;

for (const resetCure of ["guard", "none"] as const) {
  Deno.test(`${LEAVING} parked requests are given up and the others on their connection live, --reset-cure=${resetCure}`, async () => {
    await using worker = new EchoWorker();
    await using gateway = await Gateway.start({ resetCure, workerPort: worker.port });
    const { envoy, extproc } = gateway;
    const staying = (await gateway.ask(STAYING, "stay")).map(statusOf);
    for (const stream of await gateway.ask(LEAVING, "leave")) stream.close(8);
    await until(
      "those who left",
      async () => await envoy.stat("http.ingress.downstream_rq_active") === STAYING,
    );
    for (const asked of extproc.asked.slice(0, STAYING)) {
      asked.reply(routedTo(`127.0.0.1:${worker.port}`));
    }
    assertEquals(await Promise.all(staying), Array(STAYING).fill(200));
    assertEquals(await envoy.stat(ENDED), 0);
    assertEquals(gateway.session.closed, false);
  });
}

Deno.test("a connection with five breakers of early resets is ended", async () => {
  const breaker = 20;
  await using gateway = await Gateway.start({ resetCure: "none", breaker });
  const { envoy, extproc, session } = gateway;
  let left = 0;
  while (!session.closed && !session.destroyed && left < 10 * breaker) {
    for (const stream of await gateway.ask(breaker / 2, "leave")) stream.close(8);
    left += breaker / 2;
    await until("those who left", () => extproc.gone === left);
    if (left >= 5 * breaker) await until("the end", () => session.closed || session.destroyed);
  }
  assertEquals([left, await envoy.stat(ENDED)], [5 * breaker, 1]);
});

Deno.test("early resets are counted up to ten breakers, whatever else the runtime says", () => {
  for (const resetCure of ["guard", "cap", "none"] as const) {
    for (const breaker of [1024, 2048, 131_072]) {
      for (const ads of [false, true]) {
        const layer = bootstrapOf({ resetCure, breaker, ads })
          .at("layered_runtime/layers/0/static_layer").value as Record<string, unknown>;
        assertEquals(layer[KEY], 10 * breaker);
        assert(Number.isSafeInteger(layer[KEY]));
      }
    }
  }
});
