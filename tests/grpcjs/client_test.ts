// The grpc-js client beyond the contract: renewed credentials beside a living connection, and what
// it leaves behind.
import { assert, assertEquals } from "@std/assert";
import type { ClientOptions, Connect } from "../../src/controlplane/port.ts";
import { createClient } from "../../src/grpcjs/client.ts";
import { systemClock } from "../../src/grpcjs/clock.ts";
import { ClientStage, summary } from "../contract/client_stage.ts";
import { createAuthority, tempFiles } from "../support/certs.ts";
import { FakeControlPlane } from "../support/fake_control_plane.ts";
import { okReply } from "../support/fake_reply.ts";
import { TcpRelay } from "../support/tcp_relay.ts";
import { until } from "../support/until.ts";

/** Looks at the files every 20 ms instead of every 10 s. */
const quick: Connect = function connect(options: ClientOptions) {
  return createClient(options, { clock: systemClock, filesEveryMs: 20 });
};

async function mtlsStage() {
  const authority = await createAuthority();
  const subject = { name: "server", ips: ["127.0.0.1"] };
  const server = await authority.issue(subject);
  const [first, second] = await Promise.all([
    authority.issue({ name: "router-1" }),
    authority.issue({ name: "router-2" }),
  ]);
  const files = await tempFiles({ ca: authority.ca, cert: first.cert, key: first.key });
  const fake = await FakeControlPlane.start({ tls: { ...server, clientCa: authority.ca } });
  const stage = await ClientStage.ready(quick, fake.address, {
    credentials: {
      kind: "mtls",
      caFile: files.path("ca"),
      certFile: files.path("cert"),
      keyFile: files.path("key"),
    },
  });
  return {
    fake,
    stage,
    files,
    second,
    async [Symbol.asyncDispose]() {
      await stage[Symbol.asyncDispose]();
      await fake.down();
      await files[Symbol.asyncDispose]();
    },
  };
}

Deno.test("renewed files make a new connection; the old one finishes what it has", async () => {
  await using parts = await mtlsStage();
  const { fake, stage, files, second } = parts;
  fake.script("s/slow", { afterMs: 700, reply: okReply("10.0.0.7") });
  const slow = stage.resume("s/slow");
  await fake.asked("s/slow");
  files.write("key", second.key);
  await until(
    "a word about the mismatch",
    () => stage.log.some(({ fields }) => String(fields["why"]).includes("not the key of")),
  );
  assertEquals(fake.accepted, 1);
  files.write("cert", second.cert);
  await until("a second connection", () => fake.accepted === 2);
  await until("calls over it", async () => {
    await stage.resume("s/next").answer();
    return fake.calls.at(-1)?.client === "router-2";
  });
  assertEquals((await fake.asked("s/slow")).client, "router-1");
  assertEquals(slow.answers.length, 0);
  assertEquals(summary(await slow.answer()), "10.0.0.7");
  await until("the old connection's end", () => fake.connections === 1);
  assertEquals(stage.attempts.every(({ answers }) => answers[0]?.kind === "ok"), true);
});

Deno.test("renewed files that do not connect leave the old connection in use", async () => {
  await using parts = await mtlsStage();
  const { fake, stage, files } = parts;
  const stranger = await (await createAuthority()).issue({ name: "stranger" });
  files.write("cert", stranger.cert);
  files.write("key", stranger.key);
  files.write("ca", (await createAuthority()).ca);
  await until("a warning", () => stage.log.some(({ msg }) => msg.includes("do not connect")));
  assertEquals(summary(await stage.resume("s/a").answer()), "10.0.0.1");
  assertEquals(fake.calls.at(-1)?.client, "router-1");
  assertEquals(stage.client.connections()[0]?.state, "ready");
});

Deno.test("files that vanish are said once, and the last ones stay in use", async () => {
  await using parts = await mtlsStage();
  const { fake, stage, files } = parts;
  await Deno.remove(files.path("cert"));
  const said = () => stage.log.filter(({ msg }) => msg === "credentials not renewed");
  await until("a warning", () => said().length > 0);
  await fake.down();
  await fake.up();
  assertEquals(summary(await stage.untilAnswered("s/a")), "10.0.0.1");
  assertEquals(fake.calls.at(-1)?.client, "router-1");
  assertEquals(said().length, 1);
  assertEquals(
    said()[0]?.fields["why"],
    `Cannot use as client certificate: ${files.path("cert")} (NotFound)`,
  );
});

Deno.test("an answer above any sense is a fault, neither a loss nor a lack of capacity", async () => {
  await using fake = await FakeControlPlane.start();
  const message = new Uint8Array(5 << 20);
  fake.script("s/huge", { reply: { kind: "bytes", message } });
  await using stage = await ClientStage.ready(quick, fake.address);
  assertEquals(summary(await stage.resume("s/huge").answer()), "fault");
  assertEquals(summary(await stage.resume("s/a").answer()), "10.0.0.1");
});

Deno.test("a closed client does not dial again, whatever state it was closed in", async () => {
  for (const mode of ["pass", "mute", "slam"] as const) {
    await using fake = await FakeControlPlane.start();
    await using relay = new TcpRelay(() => fake.port);
    relay.mode = mode;
    const stage = await ClientStage.open(quick, relay.address);
    const attempt = stage.resume("s/a");
    await until("a dial", () => relay.dialsMs.length > 0);
    if (mode === "slam") await attempt.answer();
    await stage[Symbol.asyncDispose]();
    const dials = relay.dialsMs.length;
    const closedMs = performance.now();
    await until("time for three more dials", () => performance.now() > closedMs + 800);
    assertEquals(relay.dialsMs.length, dials, mode);
    await until("no connection", () => fake.connections === 0);
  }
});

Deno.test("a client that is closed in the turn in which it began leaves nothing behind", async () => {
  await using relay = new TcpRelay(() => 0);
  relay.mode = "mute";
  const stage = await ClientStage.open(quick, relay.address);
  const attempt = stage.resume("s/a");
  await stage[Symbol.asyncDispose]();
  assertEquals(summary(await attempt.answer()), "lost");
  const closedMs = performance.now();
  await until("time for two dials", () => performance.now() > closedMs + 400);
  assert(relay.dialsMs.length <= 1, "dialled again");
  assertEquals(relay.open, 0);
});

Deno.test("an address that is lost does not hold up the others' dials", async () => {
  await using one = await FakeControlPlane.start();
  await using two = await FakeControlPlane.start({ hostname: "127.0.0.2", port: one.port });
  await using _stage = await ClientStage.ready(quick, `api.test:${one.port}`, {
    resolve: () => Promise.resolve(["127.0.0.1", "127.0.0.2"]),
  });
  await until("both", () => one.connections + two.connections === 2);
  const readyMs = performance.now();
  await until("connections worth their dials", () => performance.now() > readyMs + 1_100);
  await two.down();
  const downMs = performance.now();
  await until("some redials", () => performance.now() > downMs + 500);
  await one.down();
  await one.up();
  const upMs = performance.now();
  await until("the living one", () => one.connections === 1);
  assert(performance.now() - upMs < 400, `${performance.now() - upMs} ms`);
});
