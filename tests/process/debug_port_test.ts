import { assertEquals } from "@std/assert";
import { closeDebugPort, type DebugPort } from "../../src/process/debug_port.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { collectLines } from "../support/lines.ts";
import { until } from "../support/until.ts";

interface Opened extends DebugPort {
  readonly closed: number[];
}

/** A port that the runtime opens at an instant. */
function openedAt(clock: FakeClock, openMs: number): Opened {
  const closed: number[] = [];
  return {
    closed,
    url: () => clock.now() >= openMs && closed.length === 0 ? "ws://127.0.0.1:9229/x" : undefined,
    close: () => void closed.push(clock.now()),
  };
}

Deno.test("the debugger's port is closed as soon as it is there, and nobody looks on", () => {
  for (const openMs of [0, 3, 1_500]) {
    const clock = new FakeClock();
    const port = openedAt(clock, openMs);
    closeDebugPort(port, clock);
    clock.advance(10_000);
    assertEquals(port.closed.length, 1, `opened at ${openMs} ms`);
    assertEquals(Math.max(0, port.closed[0]! - openMs) <= 5, true, `closed at ${port.closed}`);
    assertEquals(clock.armed, 0);
  }
});

Deno.test("a runtime that opens none is looked at for 2 s", () => {
  const clock = new FakeClock();
  const port = openedAt(clock, Infinity);
  closeDebugPort(port, clock);
  clock.advance(1_900);
  assertEquals(clock.armed, 1);
  clock.advance(200);
  assertEquals([clock.armed, port.closed], [0, []]);
});

Deno.test("a runtime that knows no debugger is left alone", () => {
  const clock = new FakeClock();
  const url = () => {
    throw new Error("not here");
  };
  closeDebugPort({ url, close: url }, clock);
  assertEquals(clock.armed, 0);
});

/** Says on SIGHUP whether the debugger listens. */
const CHILD = `
  import { url } from "node:inspector";
  import { watchSignals } from "${new URL("../../src/process/signals.ts", import.meta.url).href}";
  const alive = setInterval(() => {}, 1000);
  watchSignals({ hangup: () => console.log(url() ?? "closed"), stop: () => Deno.exit(0) });
  console.log("up");`;

Deno.test("after SIGUSR1 no debugger listens, though the runtime has opened its port", async () => {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--ext=ts", "-"],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const stdin = child.stdin.getWriter();
  await stdin.write(new TextEncoder().encode(CHILD));
  await stdin.close();
  const [said, errors] = [collectLines(child.stdout), collectLines(child.stderr)];
  await until("the child to be up", () => said.all().includes("up"));
  // Somebody else on this machine may have the port: then there is nothing to close.
  const told = () => errors.all().some((line) => /Debugger listening|inspector server/.test(line));
  await until("the runtime to have heard a SIGUSR1", () => {
    child.kill("SIGUSR1");
    return told();
  });
  await until("the port to be closed", () => {
    child.kill("SIGHUP");
    return said.all().at(-1) === "closed";
  });
  child.kill("SIGTERM");
  assertEquals((await child.status).code, 0);
  await Promise.all([said.done, errors.done]);
});
