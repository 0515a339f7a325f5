// How often is dialled: at once, then 100 -> 250 ms apart, ten a second over all addresses.
import { assert, assertEquals } from "@std/assert";
import { dialDelayMs, DialPace } from "../../src/controlplane/pace.ts";
import { seeded } from "../support/seeded.ts";
import { FakeNet } from "./fake_net.ts";

Deno.test("dials of one address: at once, then growing to 250 ms, never more", () => {
  const delays = [0, 1, 2, 3, 4, 5, 50].map((n) => Math.round(dialDelayMs(n, 0)));
  assertEquals(delays, [0, 100, 150, 225, 250, 250, 250]);
  const draw = seeded(1);
  for (let n = 1; n < 1_000; n++) {
    const delay = dialDelayMs(n, draw());
    assert(delay >= 100 && delay <= 250, `delay ${delay}`);
  }
});

Deno.test("ten places a second, whoever asks", () => {
  const pace = new DialPace();
  const at = Array.from({ length: 35 }, () => pace.reserve(0));
  for (let n = 10; n < at.length; n++) assert(at[n]! - at[n - 10]! >= 1_000);
  assertEquals(at.slice(0, 10), Array(10).fill(0));
});

Deno.test("B13: a control plane that is away for 3 s is found within 250 ms, without a storm", async () => {
  const net = new FakeNet();
  net.auto = "refuse";
  const client = net.client({ address: "10.0.0.1:443" });
  void client.warm();
  await net.advance(3_000);
  const instants = net.dials.map((dial) => Number(dial.split("@")[1]));
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
  const dialled = new Set(net.dials.map((dial) => dial.split("@")[0]));
  assertEquals(dialled.size, 8, "every address has its turn");
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
