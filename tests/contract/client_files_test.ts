// Client contract, part four: renewed certificate files beside a living connection. Real handshakes.
import { assertEquals } from "@std/assert";
import { createClient } from "../../src/controlplane/client.ts";
import type { DialUnary } from "../../src/h2/grpc/types.ts";
import { createAuthority, tempFiles } from "../support/certs.ts";
import { FakeControlPlane } from "../support/fake_control_plane.ts";
import { okReply } from "../support/fake_reply.ts";
import { until } from "../support/until.ts";
import { ClientStage, summary } from "./client_stage.ts";
import { CLOCK } from "./dial_stage.ts";
import { dialTest } from "./implementations.ts";

async function mtlsStage(dial: DialUnary) {
  const authority = await createAuthority();
  const [server, first, second] = await Promise.all([
    authority.issue({ name: "server", ips: ["127.0.0.1"] }),
    authority.issue({ name: "router-1" }),
    authority.issue({ name: "router-2" }),
  ]);
  const files = await tempFiles({ ca: authority.ca, cert: first.cert, key: first.key });
  const fake = await FakeControlPlane.start({ tls: { ...server, clientCa: authority.ca } });
  // Looks at the files every 20 ms instead of every 10 s.
  const parts = {
    dial,
    clock: CLOCK,
    resolve: () => Promise.reject(new Error("no name is used here")),
    readFile: (path: string) => Deno.readTextFileSync(path),
    filesEveryMs: 20,
  };
  const connect = (options: Parameters<typeof createClient>[0]) =>
    Promise.resolve(createClient(options, parts));
  const stage = await ClientStage.ready(connect, fake.address, {
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

dialTest("renewed files make a new connection; the old one finishes what it has", async (dial) => {
  await using parts = await mtlsStage(dial);
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

dialTest("renewed files that do not connect leave the old connection in use", async (dial) => {
  await using parts = await mtlsStage(dial);
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

dialTest("files that vanish are said once, and the last ones stay in use", async (dial) => {
  await using parts = await mtlsStage(dial);
  const { fake, stage, files } = parts;
  await Deno.remove(files.path("cert"));
  const said = () => stage.log.filter(({ msg }) => msg.includes("credentials not renewed"));
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
