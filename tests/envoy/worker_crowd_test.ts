// A crowd that was parked is let go at once, each request to a worker that Envoy does not know yet.
import { assertEquals } from "@std/assert";
import { EchoWorker } from "../support/echo.ts";
import { routedTo } from "../support/ext_proc_messages.ts";
import { Gateway, statusOf } from "./_gateway.ts";
import { bootstrapOf, clusterOf, managerOf } from "./_tree.ts";

/** Below the breaker of 2,048, and far above the 1,024 that may wait for the DNS cache by default. */
const CROWD = 2_000;
const PENDING = "dns_cache_circuit_breaker/max_pending_requests";

Deno.test(`${CROWD} requests are let go to as many new workers at once, and none fails`, async () => {
  // Every address of 127/8 is this machine's; one socket answers for all of them.
  await using worker = new EchoWorker("0.0.0.0");
  await using gateway = await Gateway.start({ workerPort: worker.port });
  const { envoy, extproc } = gateway;
  const statuses = (await gateway.ask(CROWD, "crowd")).map(statusOf);
  extproc.asked.forEach((asked, i) =>
    asked.reply(routedTo(`127.9.${i >> 8}.${i & 255}:${worker.port}`))
  );
  const count = new Map<number | undefined, number>();
  for (const status of await Promise.all(statuses)) {
    count.set(status, (count.get(status) ?? 0) + 1);
  }
  assertEquals(count, new Map([[200, CROWD]]));
  assertEquals(await envoy.stat("dns_cache.atenet_workers.dns_rq_pending_overflow"), 0);
});

Deno.test("the largest breaker is no more than may wait for the DNS cache", () => {
  const bootstrap = bootstrapOf({ breaker: 131_072, maxConcurrentStreams: 131_072 });
  const filter = managerOf(bootstrap).at("http_filters/@envoy.filters.http.dynamic_forward_proxy");
  const clusters = ["atenet_workers", "atenet_workers_grpc"].map((name) =>
    clusterOf(bootstrap, name).at("cluster_type")
  );
  for (const holder of [filter, ...clusters]) {
    const pending = Number(holder.at(`typed_config/dns_cache_config/${PENDING}`).value);
    assertEquals(pending >= 131_072, true, `${pending}`);
  }
});
