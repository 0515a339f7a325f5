// Contract of a dial, part three: one that is given up, by its time or by its owner, leaves nothing
// behind, not even a SYN on its way.
import { assertEquals, assertRejects } from "@std/assert";
import type { ClientTls, UnaryDialOptions } from "../../src/h2/grpc/types.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { FakeControlPlane } from "../support/fake_control_plane.ts";
import { TcpRelay } from "../support/tcp_relay.ts";
import { until } from "../support/until.ts";
import { DeafPort } from "./deaf_port.ts";
import { dialOptions, DialStage } from "./dial_stage.ts";
import { dialTest } from "./implementations.ts";

const TLS: ClientTls = { serverName: "api.test" };
const WAYS: readonly [name: string, more: Partial<UnaryDialOptions>][] = [
  ["plaintext", {}],
  ["TLS", { tls: TLS }],
];

dialTest("an address that answers no SYN is left when the time is over", async (dial) => {
  await using deaf = await DeafPort.open();
  for (const [name, more] of WAYS) {
    const clock = new FakeClock();
    const options = dialOptions(deaf.port, { clock, connectTimeoutMs: 2_000, ...more });
    const dialled = assertRejects(() => dial(options), Error, `127.0.0.1:${deaf.port}: `);
    await until(`a SYN, ${name}`, () => deaf.dials === 1);
    clock.advanceTo(2_000);
    await dialled;
    await until(`no SYN any more, ${name}`, () => deaf.dials === 0);
  }
});

dialTest("an address that answers no SYN is left when the owner says so", async (dial) => {
  await using deaf = await DeafPort.open();
  for (const [name, more] of WAYS) {
    const owner = new AbortController();
    const options = dialOptions(deaf.port, { signal: owner.signal, ...more });
    const dialled = assertRejects(
      () => dial(options),
      Error,
      `127.0.0.1:${deaf.port}: given up`,
    );
    await until(`a SYN, ${name}`, () => deaf.dials === 1);
    owner.abort();
    await dialled;
    await until(`no SYN any more, ${name}`, () => deaf.dials === 0);
  }
});

dialTest("a peer that accepts and says nothing is left when the owner says so", async (dial) => {
  await using relay = new TcpRelay(() => 0);
  relay.mode = "mute";
  for (const [name, more] of WAYS) {
    const owner = new AbortController();
    const options = dialOptions(relay.port, { signal: owner.signal, ...more });
    const dialled = assertRejects(() => dial(options), Error, ": given up");
    await until(`a connection, ${name}`, () => relay.open === 1);
    owner.abort();
    await dialled;
    await until(`its end, ${name}`, () => relay.open === 0);
  }
});

dialTest("an owner who has given up before gets no connection", async (dial) => {
  await using relay = new TcpRelay(() => 0);
  const signal = AbortSignal.abort();
  await assertRejects(() => dial(dialOptions(relay.port, { signal })), Error, ": given up");
  // What would have been dialled comes before this one.
  const other = await Deno.connect({ port: relay.port });
  await until("the other one", () => relay.dialsMs.length > 0);
  assertEquals(relay.dialsMs.length, 1);
  other.close();
});

dialTest("a connection that was handed out outlives the signal of its dial", async (dial) => {
  await using fake = await FakeControlPlane.start();
  const owner = new AbortController();
  await using stage = await DialStage.open(dial, fake.port, { signal: owner.signal });
  owner.abort();
  assertEquals((await stage.call("a").end()).kind, "ok");
  assertEquals([stage.connection.state, stage.told.includes("closed")], ["open", false]);
});
