// More worker addresses than Envoy's default for a DNS cache allows, and none is confused with
// another.
import { assertEquals } from "@std/assert";
import { EchoWorker } from "../support/echo.ts";
import { load } from "../support/http.ts";
import { hostOf, startStack } from "../support/stack.ts";

const COUNT = 1_200;

Deno.test("1,200 distinct workers are reached, each by its own actor", async () => {
  // Every address of 127/8 is this machine's; one socket answers for all of them.
  await using worker = new EchoWorker("0.0.0.0");
  await using stack = await startStack({ workerPort: worker.port });
  const ips = Array.from({ length: COUNT }, (_, i) => `127.9.${i >> 8}.${i & 255}`);
  ips.forEach((workerIp, i) => stack.script(`a${i}`, { kind: "ok", workerIp }));
  const { broken, byStatus } = await load(
    stack.envoy.httpPort,
    COUNT,
    16,
    (i) => ({ host: hostOf(`a${i}`) }),
    (i, { body }) => assertEquals(JSON.parse(body).headers.host, `${ips[i]}:${worker.port}`),
  );
  assertEquals(broken, []);
  assertEquals(byStatus, new Map([[200, COUNT]]));
  assertEquals(await stack.envoy.stat("dns_cache.atenet_workers.num_hosts"), COUNT);
  assertEquals(await stack.envoy.stat("dns_cache.atenet_workers.host_overflow"), 0);
});
