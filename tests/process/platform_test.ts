import { assert, assertEquals, assertGreaterOrEqual, assertLess } from "@std/assert";
import {
  clampTimerMs,
  monotonicClock,
  systemDraw,
  TIMER_MS_MAX,
} from "../../src/process/platform.ts";
import { type SignalSource, type StopSignal, watchSignals } from "../../src/process/signals.ts";
import { LagSampler } from "../../src/process/lag.ts";
import { HandClock } from "./_clock.ts";

Deno.test("timers are clamped to what setTimeout can take", () => {
  const table: [number, number][] = [
    [0, 0],
    [-5, 0],
    [NaN, 0],
    [0.2, 1],
    [10, 10],
    [10.1, 11],
    [2 ** 31, TIMER_MS_MAX],
    [Infinity, TIMER_MS_MAX],
  ];
  for (const [ms, clamped] of table) assertEquals(clampTimerMs(ms), clamped, `${ms}`);
});

Deno.test("a timer never fires early and never before after() has returned", async () => {
  const clock = monotonicClock();
  for (const ms of [0, 0.3, 1, 7.7, 20]) {
    const beganMs = clock.now();
    let returned = false;
    await new Promise<void>((resolve) => {
      clock.after(ms, () => {
        assert(returned);
        assertGreaterOrEqual(clock.now() - beganMs, ms);
        resolve();
      });
      returned = true;
    });
  }
});

Deno.test("a cancelled timer does not fire; a second cancel is harmless", async () => {
  const clock = monotonicClock();
  let fired = 0;
  const timer = clock.after(1, () => fired++);
  timer.cancel();
  timer.cancel();
  const late = clock.after(2 ** 40, () => fired++);
  await new Promise<void>((resolve) => clock.after(20, resolve));
  late.cancel();
  assertEquals(fired, 0);
});

Deno.test("draws are in [0, 1)", () => {
  const draw = systemDraw();
  for (let count = 0; count < 1_000; count++) {
    const value = draw();
    assertGreaterOrEqual(value, 0);
    assertLess(value, 1);
  }
});

class FakeSignals implements SignalSource {
  readonly handlers = new Map<string, Set<() => void>>();

  add(signal: Deno.Signal, handler: () => void): void {
    const set = this.handlers.get(signal) ?? new Set();
    this.handlers.set(signal, set.add(handler));
  }

  remove(signal: Deno.Signal, handler: () => void): void {
    this.handlers.get(signal)?.delete(handler);
  }

  send(signal: Deno.Signal): void {
    for (const handler of this.handlers.get(signal) ?? []) handler();
  }
}

Deno.test("B68: stops are counted over both signals, a hangup is harmless", () => {
  const signals = new FakeSignals();
  const heard: [StopSignal | "SIGHUP" | "SIGUSR1" | "debug port", number][] = [];
  const forget = watchSignals(
    {
      stop: (signal, nth) => heard.push([signal, nth]),
      hangup: () => heard.push(["SIGHUP", 0]),
      toggleDebug: () => heard.push(["SIGUSR1", 0]),
    },
    signals,
    () => heard.push(["debug port", 0]),
  );
  for (const signal of ["SIGHUP", "SIGINT", "SIGUSR1", "SIGTERM", "SIGTERM"] as const) {
    signals.send(signal);
  }
  assertEquals(heard, [
    ["SIGHUP", 0],
    ["SIGINT", 1],
    ["debug port", 0],
    ["SIGUSR1", 0],
    ["SIGTERM", 2],
    ["SIGTERM", 3],
  ]);
  forget();
  assertEquals([...signals.handlers.values()].map((set) => set.size), [0, 0, 0, 0]);
});

Deno.test("SIGHUP and SIGUSR1 without a handler are taken and ignored", () => {
  const signals = new FakeSignals();
  watchSignals({ stop: () => {} }, signals, () => {});
  signals.send("SIGHUP");
  signals.send("SIGUSR1");
  assertEquals(signals.handlers.get("SIGHUP")?.size, 1);
});

Deno.test("B68: real signals: a hangup and a broken pipe do not end the process, SIGTERM is heard", async () => {
  const module = new URL("../../src/process/signals.ts", import.meta.url).href;
  const code = `
    import { watchSignals } from "${module}";
    const alive = setInterval(() => {}, 1000);
    watchSignals({
      hangup: () => console.log("hangup"),
      stop: (signal, nth) => { console.log(signal + " " + nth); if (nth === 2) Deno.exit(7); },
    });
    console.log("up");`;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", "--ext=ts", "-"],
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const stdin = child.stdin.getWriter();
  await stdin.write(new TextEncoder().encode(code));
  await stdin.close();
  const lines = child.stdout.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]();
  const next = async () => (await lines.next()).value?.trim();
  assertEquals(await next(), "up");
  child.kill("SIGHUP");
  assertEquals(await next(), "hangup");
  child.kill("SIGPIPE");
  child.kill("SIGINT");
  assertEquals(await next(), "SIGINT 1");
  child.kill("SIGTERM");
  assertEquals(await next(), "SIGTERM 2");
  assertEquals((await child.status).code, 7);
  await lines.return?.();
});

Deno.test("the lag of the event loop is how late a timer is; the worst of 10 s is told", async () => {
  const clock = new HandClock();
  const samples: number[] = [];
  const lag = new LagSampler(clock, (ms) => samples.push(ms));
  assertEquals(lag.maxMs(), 0);
  await clock.pass(250);
  clock.stall(280);
  await clock.pass(0);
  assertEquals(samples, [0, 30]);
  assertEquals(lag.maxMs(), 30);
  await clock.pass(39 * 250);
  assertEquals(lag.maxMs(), 30);
  await clock.pass(250);
  assertEquals(lag.maxMs(), 0);
  lag.close();
  assertEquals(clock.armed, 0);
});
