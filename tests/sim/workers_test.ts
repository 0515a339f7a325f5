// Echo workers on real sockets: one port on many loopback addresses, and what each says.
import { assert, assertEquals, assertRejects } from "@std/assert";
import type { Clock } from "../../src/engine/mod.ts";
import { numberedActors } from "../../src/sim/model.ts";
import { Pool } from "../../src/sim/pool.ts";
import { loopbackAddresses } from "../../src/sim/simulator.ts";
import { ACTOR_HEADER, type Echo, startWorkers, type Workers } from "../../src/sim/workers.ts";
import { FakeClock } from "../support/fake_clock.ts";

/** One request over a connection of its own; `host` is sent as it is. */
async function ask(
  workers: Workers,
  ip: string,
  host: string,
  headers: Record<string, string> = {},
): Promise<Echo> {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join("");
  using conn = await Deno.connect({ hostname: ip, port: workers.port });
  await conn.write(new TextEncoder().encode(
    `GET /p/q?secret=1 HTTP/1.1\r\nhost: ${host}\r\n${lines}connection: close\r\n\r\n`,
  ));
  const text = await new Response(conn.readable).text();
  return JSON.parse(text.slice(text.indexOf("\r\n\r\n")));
}

Deno.test("workers share one port, each answers with its own address and the Host it saw", async () => {
  const workers = await startWorkers({ ips: loopbackAddresses(3) });
  try {
    assertEquals(workers.ips, ["127.0.0.1", "127.0.0.2", "127.0.0.3"]);
    for (const ip of workers.ips) {
      const echo = await ask(workers, ip, `${ip}:${workers.port}`);
      assertEquals(echo, {
        worker: ip,
        method: "GET",
        path: "/p/q",
        host: `${ip}:${workers.port}`,
        actor: "",
        here: false,
      });
      assertEquals(workers.served(ip), 1);
    }
    assertEquals(workers.served("127.0.0.9"), 0);
  } finally {
    await workers.stop();
  }
});

Deno.test("the actor comes from the header, else from the host, else from what runs there", async () => {
  const ips = loopbackAddresses(2);
  const actors = numberedActors(2);
  const pool = new Pool({ clock: new FakeClock(), workers: ips, actors, startRunning: true });
  const workers = await startWorkers({ ips, pool });
  const rows: [host: string, headers: Record<string, string>, actor: string, here: boolean][] = [
    ["127.0.0.1:80", { [ACTOR_HEADER]: "demo/a1" }, "demo/a1", true],
    ["127.0.0.1:80", { [ACTOR_HEADER]: "demo/a2" }, "demo/a2", false],
    ["127.0.0.1:80", { [ACTOR_HEADER]: "nonsense" }, "demo/a1", true],
    ["A1.Demo.actors.example", {}, "demo/a1", true],
    ["a2.demo.actors.example:8080", {}, "demo/a2", false],
    ["127.0.0.1", {}, "demo/a1", true],
    ["localhost", {}, "demo/a1", true],
  ];
  try {
    for (const [host, headers, actor, here] of rows) {
      const echo = await ask(workers, "127.0.0.1", host, headers);
      assertEquals([echo.actor, echo.here], [actor, here], `${host} ${JSON.stringify(headers)}`);
    }
  } finally {
    await workers.stop();
  }
});

Deno.test("a request in progress keeps its actor awake for workMs", async () => {
  const clock = new FakeClock();
  const working = Promise.withResolvers<void>();
  const workClock: Clock = {
    now: () => clock.now(),
    after(ms, fire) {
      working.resolve();
      return clock.after(ms, fire);
    },
  };
  const ips = loopbackAddresses(1);
  const actors = numberedActors(1);
  const pool = new Pool({ clock, workers: ips, actors, startRunning: true, idleMs: 100 });
  const workers = await startWorkers({ ips, pool, clock: workClock, workMs: 500 });
  try {
    const pending = ask(workers, "127.0.0.1", "a1.demo.example");
    await working.promise;
    clock.advance(499);
    assertEquals(pool.view().running, 1);
    clock.advance(1);
    assert((await pending).here);
    clock.advance(99);
    assertEquals(pool.view().running, 1);
    clock.advance(1);
    assertEquals(pool.view().running, 0);
  } finally {
    await workers.stop();
  }
});

Deno.test("an address that cannot be bound is named, and nothing is left listening", async () => {
  using taken = Deno.listen({ hostname: "127.0.0.2", port: 0 });
  const port = taken.addr.port;
  await assertRejects(
    () => startWorkers({ ips: ["127.0.0.1", "127.0.0.2"], port }),
    Error,
    `Cannot listen as a worker: 127.0.0.2:${port}`,
  );
  Deno.listen({ hostname: "127.0.0.1", port }).close();
});
