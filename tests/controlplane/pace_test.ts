// How often is dialled: at once, then 100 -> 250 ms apart, ten a second over all addresses.
import { assert, assertEquals, assertGreater, assertLessOrEqual } from "@std/assert";
import { dialDelayMs, DialPace } from "../../src/controlplane/pace.ts";
import { seeded } from "../support/seeded.ts";
import { FakeNet } from "./fake_net.ts";

Deno.test("dials of one address: at once, then 100 -> 250 ms", () => {
  const delays = (draw: number) => [0, 1, 2, 3, 4, 50, 2_000].map((n) => dialDelayMs(n, draw));
  assertEquals(delays(0), [0, 100, 150, 200, 200, 200, 200]);
  const latest = delays(1 - 2 ** -53);
  for (const [index, ms] of [0, 125, 187.5, 250, 250, 250, 250].entries()) {
    assertLessOrEqual(latest[index] ?? NaN, ms);
    assertGreater((latest[index] ?? NaN) + 1e-9, ms);
  }
});

Deno.test("ten dials begin within any second, no more, and none waits longer than it must", () => {
  const random = seeded(7);
  const pace = new DialPace();
  const begunMs: number[] = [];
  let nowMs = 0;
  for (let n = 0; n < 5_000; n++) {
    nowMs += random() < 0.7 ? 0 : random() * 150;
    const waitMs = pace.ask(nowMs);
    if (waitMs === 0) begunMs.push(nowMs);
    else assertEquals(waitMs, (begunMs.at(-10) ?? NaN) + 1_000 - nowMs);
  }
  assertGreater(begunMs.length, 500);
  for (const [index, atMs] of begunMs.entries()) {
    const eleventh = begunMs[index + 10];
    if (eleventh !== undefined) assertLessOrEqual(1_000, eleventh - atMs);
  }
});

Deno.test("dials that are seldom are not held back", () => {
  const pace = new DialPace();
  for (let atMs = 0; atMs < 10_000; atMs += 100) assertEquals(pace.ask(atMs), 0);
});

Deno.test("B13: a control plane that is away for 3 s is found within 250 ms, without a storm", async () => {
  const net = new FakeNet();
  net.auto = "refuse";
  const client = net.client({ address: "10.0.0.1:443" });
  void client.warm();
  await net.advance(3_000);
  const instants = net.dials.map((dial) => Number(dial.split("@")[1]));
  assertGreater(instants.length, 10);
  for (const from of instants) {
    assert(instants.filter((at) => at >= from && at < from + 1_000).length <= 10);
  }
  net.auto = "connect";
  await net.advance(250);
  assertEquals(client.connections()[0]!.state, "ready");
  await client.close();
});

Deno.test("B13: many addresses that are away share ten dials a second", async () => {
  const net = new FakeNet();
  net.auto = "refuse";
  net.addresses = Array.from({ length: 8 }, (_, n) => `10.0.0.${n + 1}`);
  const client = net.client();
  void client.warm();
  await net.advance(10_000);
  const instants = net.dials.map((dial) => Number(dial.split("@")[1]));
  for (const from of instants) {
    assert(instants.filter((at) => at >= from && at < from + 1_000).length <= 10);
  }
  assertGreater(instants.length, 90);
  const counts = net.addresses.map((ip) => net.dials.filter((dial) => dial.startsWith(`${ip}@`)));
  for (const [n, { length }] of counts.entries()) {
    assert(length >= 8 && length <= 16, `address ${n}: ${length} of ${instants.length} dials`);
  }
  await client.close();
});

Deno.test("a server that takes connections and drops them is not hammered", async () => {
  const net = new FakeNet();
  net.auto = "connect";
  const client = net.client({ address: "10.0.0.1:443" });
  await client.warm();
  for (let step = 0; step < 300; step++) {
    net.connections.at(-1)!.lose();
    await net.advance(10);
  }
  assert(net.dials.length <= 30 + 10, `${net.dials.length} dials in 3 s`);
  await client.close();
});

Deno.test("an address that is lost does not hold up the others' dials", async () => {
  const net = new FakeNet();
  net.auto = "connect";
  net.addresses = ["10.0.0.1", "10.0.0.2"];
  const client = net.client();
  await client.warm();
  await net.advance(2_000);
  net.auto = "refuse";
  net.connections[1]!.lose();
  await net.advance(500);
  net.auto = "connect";
  const lostMs = net.clock.now();
  net.connections[0]!.lose();
  await net.advance(0);
  assert(net.dials.includes(`10.0.0.1@${lostMs}`), `lost at ${lostMs}: ${net.dials}`);
  await client.close();
});
