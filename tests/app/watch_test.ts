// How long the control plane is away, as the status page is told.
import { assert, assertEquals } from "@std/assert";
import { ControlPlaneWatch } from "../../src/app/watch.ts";
import type {
  ConnectionState,
  ConnectionView,
  ControlPlaneClient,
} from "../../src/controlplane/port.ts";
import { FakeClock } from "../support/fake_clock.ts";

/** A client with one connection whose state the test sets; its probes answer at once. */
class OneConnection implements ControlPlaneClient {
  state: ConnectionState = "ready";
  probes = 0;

  connections(): ConnectionView[] {
    return [{ address: "10.0.0.1:443", state: this.state }];
  }

  probe() {
    this.probes++;
    return Promise.resolve({ ok: true, tookMs: 2 } as const);
  }

  resume() {
    return { withdraw: () => false };
  }

  async warm() {}
  async close() {}
}

function watched() {
  const clock = new FakeClock();
  const client = new OneConnection();
  return { clock, client, watch: new ControlPlaneWatch(clock, client) };
}

function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** Lets time pass second by second: what is awaited in between goes on. */
async function pass(clock: FakeClock, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    await settled();
    clock.advance(1_000);
  }
  await settled();
}

Deno.test("a reconnect of 100 ms is not the outage of a whole health interval", async () => {
  for (const intervalMs of [1_000, 10_000, 3_600_000]) {
    const { clock, client, watch } = watched();
    const stop = watch.watch(intervalMs);
    await pass(clock, 59);
    client.state = "connecting";
    clock.advance(100);
    const downMs = watch.downMs();
    assert(downMs >= 100 && downMs <= 1_100, `interval ${intervalMs}: ${downMs}`);
    client.state = "ready";
    assertEquals(watch.downMs(), 0);
    stop();
  }
});

Deno.test("an outage is as long as it is, whoever looks", async () => {
  const { clock, client, watch } = watched();
  const stop = watch.watch(10_000);
  await pass(clock, 5);
  client.state = "down";
  await pass(clock, 25);
  assert(Math.abs(watch.downMs() - 25_000) <= 1_000, `${watch.downMs()}`);
  stop();
});

Deno.test("probes keep their interval, and nothing is left when it stops", async () => {
  const { clock, client, watch } = watched();
  assertEquals(watch.probe(), null);
  const stop = watch.watch(10_000);
  await pass(clock, 35);
  assertEquals(client.probes, 4);
  assertEquals(watch.probe(), { ok: true, took_ms: 2, why: null, age_ms: 5_000 });
  stop();
  assertEquals(clock.armed, 0);
  await pass(clock, 35);
  assertEquals(client.probes, 4);
});

Deno.test("a connection's calls that wait are told, none as 0", () => {
  const { client, watch } = watched();
  const address = "10.0.0.1:443";
  assertEquals(watch.connections(), [{ address, state: "ready", queued: 0, error: null }]);
  client.connections = () => [{ address, state: "down", queued: 3, lastError: "refused" }];
  assertEquals(watch.connections(), [{ address, state: "down", queued: 3, error: "refused" }]);
});
