// A reader of the log that is slow, stuck or gone must neither block nor end the daemon.
import { assert, assertEquals } from "@std/assert";
import { ExtProcPeer } from "../support/ext_proc_peer.ts";
import { FakeControlPlane } from "../support/fake_control_plane.ts";
import { statusReply } from "../support/fake_reply.ts";
import { until } from "../support/until.ts";
import { DOMAIN, type ProgramOptions, routerCommand, serveWords } from "./_program.ts";

interface Raw {
  readonly child: Deno.ChildProcess;
  readonly reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly port: number;
  readonly status: string;
}

/** The router with a stdout that is read up to the `ready` line only. */
async function withRaw(
  work: (raw: Raw) => Promise<void>,
  options: ProgramOptions = {},
): Promise<void> {
  await using plane = await FakeControlPlane.start();
  const command = routerCommand(serveWords(plane.address, { "log-level": "debug" }), options);
  const child = command.spawn();
  const reader = child.stdout.getReader();
  let text = "";
  while (!text.includes('"msg":"ready"')) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`Cannot start the router: ${text}`);
    text += new TextDecoder().decode(value);
  }
  const ready = JSON.parse(text.split("\n").find((line) => line.includes('"msg":"ready"')) ?? "");
  try {
    const port = Number(ready.extproc.split(":").at(-1));
    plane.script("demo/a", { reply: statusReply(5) });
    await work({ child, reader, port, status: ready.status });
  } finally {
    await reader.cancel();
    try {
      child.kill("SIGKILL");
    } catch {
      // Gone already.
    }
    await Promise.all([child.status, child.stderr.cancel()]);
  }
}

/** So many requests at once on a connection of their own: this client ends one after 1,000 resets. */
async function ask(port: number, count: number): Promise<void> {
  await using peer = await ExtProcPeer.connect(port);
  const headers = [[":authority", `a.demo.${DOMAIN}`], [":path", `/${"x".repeat(200)}`]] as const;
  await Promise.all(Array.from({ length: count }, () => peer.ask(headers)));
}

async function dropped(status: string): Promise<number> {
  const snapshot = await (await fetch(`http://${status}/statusz?format=json`)).json();
  return snapshot.telemetry.log_lines_dropped;
}

Deno.test("nobody reads the log: requests are answered on, lines are dropped and counted", async () => {
  await withRaw(async ({ child, port, status }) => {
    // Each request leaves a line of about 500 bytes: pipe and queue are full after some thousands.
    const slowest = { ms: 0 };
    await until("dropped lines", async () => {
      const began = performance.now();
      await ask(port, 250);
      slowest.ms = Math.max(slowest.ms, performance.now() - began);
      return await dropped(status) > 0;
    }, 60_000);
    assert(slowest.ms < 5_000, `250 requests took ${slowest.ms} ms`);
    child.kill("SIGTERM");
    assertEquals((await child.status).code, 0);
  });
});

Deno.test("the reader of the log is gone: the daemon serves on and ends cleanly", async () => {
  await withRaw(async ({ child, reader, port, status }) => {
    await reader.cancel();
    for (let round = 0; round < 3; round++) await ask(port, 50);
    assert(await dropped(status) > 0, "lines after the end are counted");
    assertEquals((await (await fetch(`http://${status}/healthz`)).text()).trim(), "ok");
    child.kill("SIGTERM");
    assertEquals((await child.status).code, 0);
  });
});

/** All that is still to come. */
async function rest(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string[]> {
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return text.trimEnd().split("\n");
    text += decoder.decode(value, { stream: true });
  }
}

Deno.test({
  name: "a stdout that would block costs no line: all come when they are read, once each",
  ignore: Deno.build.os !== "linux",
  fn: () =>
    withRaw(async ({ child, reader, port, status }) => {
      for (let round = 0; round < 3; round++) await ask(port, 50);
      assertEquals(await dropped(status), 0);
      child.kill("SIGTERM");
      const lines = (await rest(reader)).map((line) => JSON.parse(line));
      assertEquals(lines.filter(({ code }) => code === "NOT_FOUND").length, 150);
      assertEquals(lines.at(-1).msg, "bye");
      assertEquals((await child.status).code, 0);
    }, { main: "tests/cli/support/nonblocking_main.ts" }),
});
