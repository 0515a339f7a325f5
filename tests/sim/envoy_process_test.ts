// Starting and stopping Envoy: ready when it says so, and never left running.
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { monotonicClock } from "../../src/process/platform.ts";
import { type EnvoyProcessOptions, startEnvoy } from "../../src/sim/envoy_process.ts";
import { pause } from "../../src/sim/pause.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { type FakeBootstrap, readyEnvoy, shellProgram } from "./fake_envoy.ts";

const clock = monotonicClock();
const PORTS: FakeBootstrap = { http: 10_001, https: 10_002 };

function options(binary: string, more: Partial<EnvoyProcessOptions> = {}): EnvoyProcessOptions {
  const signal = new AbortController().signal;
  return { binary, bootstrap: JSON.stringify(PORTS), clock, signal, ...more };
}

/** Is the process with the id in this file still there? */
async function runs(pidFile: string): Promise<boolean> {
  const pid = Number(await Deno.readTextFile(pidFile));
  assert(pid > 1);
  return await Deno.stat(`/proc/${pid}`).then(() => true, () => false);
}

/** Waits for a file that a script writes. */
async function written(path: string): Promise<void> {
  for (const endMs = clock.now() + 10_000;;) {
    if (await Deno.readTextFile(path).then((text) => text.endsWith("\n"), () => false)) return;
    assert(clock.now() < endMs, `waited 10 s for ${path}`);
    await pause(clock, 5);
  }
}

Deno.test("Envoy is started when it is ready, with the ports of its listeners", async () => {
  await using fake = await readyEnvoy();
  const envoy = await startEnvoy(options(fake.path));
  try {
    assertEquals([...envoy.ports], Object.entries(PORTS));
    const ready = await fetch(`http://127.0.0.1:${envoy.adminPort}/ready`);
    await ready.body?.cancel();
    assertEquals(ready.status, 200);
    assertEquals(envoy.ended(), undefined);
  } finally {
    await envoy.stop();
    await envoy.stop();
  }
  assertStringIncludes(envoy.ended() ?? "", "SIGTERM");
});

Deno.test("a program that ends at once is quoted", async () => {
  await using fake = await shellProgram("echo 'bad bootstrap: field x' >&2; exit 3");
  const error = await assertRejects(() => startEnvoy(options(fake.path)), Error);
  assertStringIncludes(error.message, "Cannot start Envoy: Envoy ended with code 3");
  assertStringIncludes(error.message, "bad bootstrap: field x");
});

Deno.test("a program that is not there is named", async () => {
  await assertRejects(() => startEnvoy(options("/nowhere/envoy")), Error, "/nowhere/envoy");
});

Deno.test("an Envoy that does not become ready is stopped", async () => {
  await using fake = await shellProgram('echo $$ > "$0.pid"; exec sleep 60');
  await assertRejects(
    () => startEnvoy(options(fake.path, { readyMs: 300 })),
    Error,
    "Cannot wait longer for Envoy's admin address: 300 ms",
  );
  assert(!await runs(`${fake.path}.pid`));
});

Deno.test("a signal during the start stops it", async () => {
  await using fake = await shellProgram('echo $$ > "$0.pid"; exec sleep 60');
  const stop = new AbortController();
  const starting = startEnvoy(options(fake.path, { signal: stop.signal }));
  const failed = assertRejects(() => starting, DOMException);
  await written(`${fake.path}.pid`);
  stop.abort();
  await failed;
  assert(!await runs(`${fake.path}.pid`));
});

Deno.test("one that does not heed SIGTERM is killed after its time", async () => {
  await using fake = await shellProgram(
    `trap '' TERM; echo $$ > "$0.pid"; while :; do sleep 0.05; done`,
  );
  const fakeClock = new FakeClock();
  const stop = new AbortController();
  const starting = startEnvoy(options(fake.path, { clock: fakeClock, signal: stop.signal }));
  const failed = assertRejects(() => starting, DOMException);
  await written(`${fake.path}.pid`);
  stop.abort();
  while (fakeClock.armed === 0) await pause(clock, 5);
  assert(await runs(`${fake.path}.pid`));
  fakeClock.advance(3_000);
  await failed;
  assert(!await runs(`${fake.path}.pid`));
});
