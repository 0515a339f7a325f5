// How often the control plane's name is looked up: soon after a failure, ever less often while that
// brings nothing new, and soon again when it matters. Time and network are made up.
import { assert, assertEquals } from "@std/assert";
import type { ControlPlaneClient } from "../../src/controlplane/port.ts";
import { attempt, FakeNet } from "./fake_net.ts";

const GOOD = "10.0.0.1";
const DEAD = "10.0.0.2";

/** A client whose name has an address that answers and one that never does. */
async function halfDead(): Promise<{ net: FakeNet; client: ControlPlaneClient }> {
  const net = new FakeNet();
  net.auto = "connect";
  net.addresses = [GOOD, DEAD];
  net.dead.add(DEAD);
  const client = net.client();
  await client.warm();
  return { net, client };
}

/** Look-ups within the next `ms`. */
async function within(net: FakeNet, ms: number): Promise<number> {
  const before = net.lookUps;
  await net.advance(ms);
  return net.lookUps - before;
}

/** The gaps of the first half minute: 0.5, 1, 2, 4 and 8 s. */
const FIRST = 5;

/** Look-ups in the first and in the second half minute, and in a late one. */
async function slowing(net: FakeNet): Promise<number[]> {
  const early = [await within(net, 30_000), await within(net, 30_000)];
  await net.advance(300_000);
  return [...early, await within(net, 30_000)];
}

Deno.test("a dead address beside a good one costs ever fewer look-ups, and is dialled as before", async () => {
  const { net, client } = await halfDead();
  assertEquals(await slowing(net), [FIRST, 1, 1]);
  const before = net.dials.length;
  await net.advance(10_000);
  assert(net.dials.length - before > 30, `${net.dials.length - before} dials in 10 s`);
  await client.close();
  assertEquals(net.clock.armed, 0);
});

Deno.test("a name server that is away is asked ever less often while an address answers", async () => {
  const net = new FakeNet();
  net.auto = "connect";
  const client = net.client();
  await client.warm();
  net.addresses = new Error("SERVFAIL");
  assertEquals(await within(net, 30_000), 1, "nothing has failed yet");
  assertEquals(await slowing(net), [4, 1, 1]);
  await client.close();
});

Deno.test("calls that are lost one after another do not bring the look-ups back", async () => {
  const { net, client } = await halfDead();
  await net.advance(120_000);
  const before = net.lookUps;
  for (let n = 0; n < 60; n++) {
    attempt(client);
    net.connections[0]!.end(n, { kind: "lost", why: "stream reset" });
    await net.advance(500);
  }
  assert(net.lookUps - before <= 1, `${net.lookUps - before} look-ups in 30 s`);
  await client.close();
});

Deno.test("what is news is looked up within half a second, however long it was quiet", async () => {
  const rows: Record<string, (net: FakeNet) => void> = {
    "nothing is left": (net) => {
      net.dead.add(GOOD);
      net.connections[0]!.lose();
    },
    "a connection that had worked is lost": (net) => net.connections[0]!.lose(),
  };
  for (const [what, happens] of Object.entries(rows)) {
    const { net, client } = await halfDead();
    await net.advance(200_000);
    const before = net.lookUps;
    happens(net);
    await net.advance(500);
    assert(net.lookUps > before, what);
    await client.close();
  }
});

Deno.test("while nothing takes calls the name is looked up twice a second", async () => {
  for (const addresses of [[GOOD], new Error("SERVFAIL")]) {
    const { net, client } = await halfDead();
    await net.advance(200_000);
    net.auto = "refuse";
    net.addresses = addresses;
    net.connections[0]!.lose();
    await net.advance(1_000);
    const count = await within(net, 10_000);
    assert(count >= 15 && count <= 21, `${addresses}: ${count} look-ups in 10 s`);
    await client.close();
  }
});

Deno.test("a name that means other addresses is looked up soon again: more may follow", async () => {
  const { net, client } = await halfDead();
  await net.advance(200_000);
  const third = "10.0.0.3";
  net.addresses = [GOOD, DEAD, third];
  for (let waited = 0; waited < 310 && client.connections().length < 3; waited++) {
    await net.advance(100);
  }
  assertEquals(client.connections().map(({ state }) => state === "ready"), [true, false, true]);
  net.addresses = [GOOD, third];
  await net.advance(1_000);
  assertEquals(client.connections().length, 2);
  await client.close();
});

Deno.test("a time without failures ends what was learnt from the last ones", async () => {
  const { net, client } = await halfDead();
  await net.advance(200_000);
  net.dead.clear();
  await net.advance(62_000);
  net.dead.add(DEAD);
  net.connections.at(-1)!.lose();
  const count = await within(net, 30_000);
  assert(count >= FIRST - 1, `${count} look-ups`);
  await client.close();
});
