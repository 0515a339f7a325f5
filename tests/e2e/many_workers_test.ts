// More worker addresses than Envoy's default for a DNS cache allows, in both route modes, and none is
// taken for another.
import { assertEquals } from "@std/assert";
import { EchoWorker } from "../support/echo.ts";
import { load } from "../support/http.ts";
import { hostOf, startStack } from "../support/stack.ts";
import { until } from "../support/until.ts";

const COUNT = 1_200;

for (const routeMode of ["authority", "original-dst"] as const) {
  Deno.test(`1,200 distinct workers are reached, each by its own actor: ${routeMode}`, async () => {
    // Every address of 127/8 is this machine's; one socket answers for all of them.
    await using worker = new EchoWorker("0.0.0.0");
    const flags = { "route-mode": routeMode };
    await using stack = await startStack({ workerPort: worker.port, flags });
    const ips = Array.from({ length: COUNT }, (_, i) => `127.9.${i >> 8}.${i & 255}`);
    ips.forEach((workerIp, i) => stack.script(`a${i}`, { kind: "ok", workerIp }));
    const hostSeen = (i: number) =>
      routeMode === "authority" ? `${ips[i]}:${worker.port}` : hostOf(`a${i}`);
    const { broken, byStatus } = await load(
      stack.envoy.httpPort,
      COUNT,
      16,
      (i) => ({ host: hostOf(`a${i}`), path: `/${i}` }),
      (i, { body }) => assertEquals(JSON.parse(body).headers.host, hostSeen(i)),
    );
    assertEquals(broken, []);
    assertEquals(byStatus, new Map([[200, COUNT]]));
    const log = await until("the access log", () => {
      const lines = stack.envoy.accessLog();
      return lines.length === COUNT ? lines : undefined;
    });
    for (const { path, worker: reached } of log) {
      assertEquals(reached, `${ips[Number(path.slice(1))]}:${worker.port}`);
    }
  });
}
