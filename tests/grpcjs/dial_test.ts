// The grpc-js dial beyond the contract: it can be given up, and what it leaves behind.
import { assert, assertEquals, assertRejects } from "@std/assert";
import { createClient } from "../../src/controlplane/client.ts";
import { dialGrpcJs } from "../../src/grpcjs/dial.ts";
import { Attempt, summary } from "../contract/client_stage.ts";
import { CLOCK, dialOptions, DialStage } from "../contract/dial_stage.ts";
import { FakeControlPlane } from "../support/fake_control_plane.ts";
import { TcpRelay } from "../support/tcp_relay.ts";
import { until } from "../support/until.ts";

/** Lets the time pass in which a library that goes on by itself would have done something. */
async function pass(ms: number): Promise<void> {
  const fromMs = performance.now();
  await until(`${ms} ms`, () => performance.now() > fromMs + ms);
}

Deno.test("a dial that is given up ends at once and leaves nothing open", async () => {
  for (const when of ["before", "in the same turn", "while it waits"]) {
    await using relay = new TcpRelay(() => 0);
    relay.mode = "mute";
    const abort = new AbortController();
    if (when === "before") abort.abort();
    const startMs = performance.now();
    const dialled = dialGrpcJs(dialOptions(relay.port, { signal: abort.signal }));
    if (when === "while it waits") await until("the dial", () => relay.open === 1);
    abort.abort();
    await assertRejects(() => dialled, Error, `127.0.0.1:${relay.port}: given up`);
    assert(performance.now() - startMs < 2_000, when);
    await pass(300);
    assert(relay.dialsMs.length <= 1, `${when}: dialled again`);
    assertEquals(relay.open, 0, when);
  }
});

Deno.test("a connection is not given up any more once it is there", async () => {
  await using fake = await FakeControlPlane.start();
  const abort = new AbortController();
  await using stage = await DialStage.open(dialGrpcJs, fake.port, { signal: abort.signal });
  abort.abort();
  assertEquals((await stage.call("a").end()).kind, "ok");
  assertEquals(stage.connection.state, "open");
});

Deno.test("one vain dial is one dial: the library does not go on by itself", async () => {
  await using relay = new TcpRelay(() => 0);
  relay.mode = "slam";
  await assertRejects(() => dialGrpcJs(dialOptions(relay.port)), Error, `:${relay.port}: `);
  await pass(800);
  assertEquals(relay.dialsMs.length, 1);
});

Deno.test("a name is refused, and so are files that are no PEM", async () => {
  const rows = [
    { hostname: "api.test" },
    { tls: { serverName: "api.test", caCerts: ["no PEM"], cert: "none", key: "none" } },
  ];
  for (const more of rows) {
    const error = await assertRejects(() => dialGrpcJs(dialOptions(1, more)), Error);
    assert(error.message.startsWith("Cannot connect as gRPC client: "), error.message);
  }
});

Deno.test("a client that is closed in the turn in which it began leaves nothing behind", async () => {
  await using relay = new TcpRelay(() => 0);
  relay.mode = "mute";
  const client = createClient(
    { address: relay.address, credentials: { kind: "insecure" } },
    {
      dial: dialGrpcJs,
      clock: CLOCK,
      resolve: () => Promise.reject(new Error("not a name")),
      readFile: () => "",
    },
  );
  const attempt = new Attempt().begin(client, "s/a");
  await client.close();
  assertEquals(summary(await attempt.answer()), "lost");
  await pass(400);
  assert(relay.dialsMs.length <= 1, "dialled again");
  assertEquals(relay.open, 0);
});
