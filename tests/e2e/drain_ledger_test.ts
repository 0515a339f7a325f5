// The drain ledger: every request that was open at the signal or came after it is accounted for once,
// in the last log line, on the status page while the shutdown lasts, and as a counter.
import { assertEquals } from "@std/assert";
import { C0, OK, RX } from "../support/stack.ts";
import { type PeerStack, startPeerStack, statusOf } from "../support/peer_stack.ts";
import { parsePage } from "../telemetry/_page.ts";

const ENDS = [
  "routed",
  "budget_exhausted",
  "shed",
  "denied",
  "canceled",
  "timeout",
  "error",
  "reset",
] as const;
type Ledger = Readonly<Record<string, number>>;

function sumOfEnds(ledger: Ledger): number {
  return ENDS.reduce((sum, end) => sum + (ledger[end] ?? NaN), 0);
}

function assertAddsUp(ledger: Ledger, where: string): void {
  const came = Number(ledger["open_at_signal"]) + Number(ledger["arrived_since"]);
  assertEquals(sumOfEnds(ledger) + Number(ledger["remaining"]), came, where);
}

function status(code: number) {
  return { kind: "status", code, message: "as the script says" } as const;
}

/** What stays unanswered to the end, what is open at the signal, and every way to end after it. */
async function everyEnd(stack: PeerStack): Promise<void> {
  for (const id of ["never", "left", "slow"]) stack.script(id, { kind: "hang" });
  stack.script("late", { ...OK, delayMs: 1_500 });
  for (const id of ["full1", "full2"]) stack.script(id, RX);
  stack.open("never");
  const late = stack.ask("late");
  const exhausted = ["full1", "full2"].map((id) => stack.ask(id));
  await stack.parked(2);
  stack.router.signal("SIGTERM");
  await stack.inStep("delay");
  stack.script("warm", OK);
  stack.script("unknown", status(5));
  stack.script("broken", status(13));
  const answers = await Promise.all([
    stack.ask("warm"),
    stack.ask("full1"),
    stack.ask("unknown"),
    stack.askHost("nobody.example"),
    stack.ask("broken"),
    stack.ask("slow", { "grpc-timeout": "300m" }),
  ]);
  assertEquals(answers.map(statusOf), [200, 503, 404, 404, 500, 504]);
  const leaving = stack.open("left");
  await stack.router.statusWhen("it waits", ({ engine }) => engine.callers === 5);
  leaving.reset();
  assertEquals(statusOf(await late), 200);
  for (const answer of await Promise.all(exhausted)) assertEquals(statusOf(answer), 503);
}

Deno.test("the ledger adds up: in the log, on the status page and as a counter", async () => {
  const flags = {
    ...C0,
    "parked-request-budget": "1s",
    "parked-request-max": "2",
    "drain-delay": "2s",
    "drain-timeout": "2s",
    "metrics-listen-addr": "127.0.0.1:0",
  };
  await using stack = await startPeerStack({ flags });
  await everyEnd(stack);
  const { drain, telemetry } = await stack.inStep("ext_proc");
  const seen = drain?.ledger ?? {};
  assertAddsUp(seen, "status page");
  assertEquals(seen, {
    open_at_signal: 4,
    arrived_since: 7,
    routed: 2,
    late: 1,
    budget_exhausted: 2,
    shed: 1,
    denied: 2,
    canceled: 1,
    timeout: 1,
    error: 1,
    reset: 0,
    remaining: 1,
  });
  const page = parsePage(await (await fetch(`http://${telemetry.prometheus}/metrics`)).text());
  for (const end of ENDS) {
    const series = `atenet_router_drain_requests_total{end="${end}"}`;
    assertEquals(page.get(series), seen[end], series);
  }
  assertEquals(await stack.router.exit, 3);
  const last = stack.router.log().filter(({ msg }) => msg === "shutdown complete");
  assertEquals(last.length, 1);
  const ledger = last[0] as unknown as Ledger;
  assertAddsUp(ledger, "last log line");
  assertEquals([ledger["reset"], ledger["remaining"], ledger["exit"]], [1, 0, 3]);
  assertEquals(sumOfEnds(ledger), 11);
});

Deno.test("every step is logged with its milliseconds, in order, and the sum is the whole", async () => {
  const flags = { ...C0, "drain-delay": "300ms" };
  await using stack = await startPeerStack({ flags });
  stack.router.signal("SIGTERM");
  assertEquals(await stack.router.exit, 0);
  const steps = stack.router.log().filter(({ msg }) => msg === "drain");
  assertEquals(steps.map((line) => line["step"]), [
    "readiness",
    "delay",
    "envoy",
    "ext_proc",
    "marker",
    "close",
    "telemetry",
  ]);
  const sum = steps.reduce((ms, line) => ms + Number(line["elapsed_ms"]), 0);
  const [begin, end] = ["shutdown begins", "shutdown complete"].map((msg) =>
    stack.router.log().find((line) => line.msg === msg)
  );
  // Each is rounded by itself.
  assertEquals(Math.abs(sum - Number(end?.["elapsed_ms"])) <= 10, true, `${sum}`);
  assertEquals(begin?.["signal"], "SIGTERM");
  // 0.3 s delay + no Envoy + 17 s drain timeout + 3 s.
  assertEquals(begin?.["bound_ms"], 20_300);
});
