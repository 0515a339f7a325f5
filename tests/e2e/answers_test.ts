// Every answer of the control plane, with parking on and off, as an HTTP client sees it behind Envoy.
import { assertEquals, assertGreaterOrEqual } from "@std/assert";
import type { Step } from "../../src/sim/model.ts";
import { OK, RX, type Stack, startStack, TRANSPORTS } from "../support/stack.ts";

interface Row {
  readonly id: string;
  readonly steps: readonly Step[];
  readonly status: number;
  readonly body: string;
  /** Word in details, metadata and counters. */
  readonly outcome: string;
  readonly grpc: number;
  /** Attempts; undefined = as many as fit the budget. */
  readonly attempts?: number;
}

function code(code: number, message: string): Step {
  return { kind: "status", code, message };
}

/** Final at the first answer, parking on or off. */
const FINAL: readonly Row[] = [
  ["f5", code(5, "S4 secret"), 404, "actor f5 not found", "not_found", 5],
  ["f4", code(4, "S4 secret"), 504, "actor f4 request timed out", "deadline_exceeded", 4],
  ["f7", code(7, "S4 secret"), 403, "actor f7 access denied", "permission_denied", 7],
  ["f16", code(16, "S4"), 401, "actor f16 authentication required", "unauthenticated", 16],
  ...[1, 2, 3, 6, 11, 12, 13, 15, 42].map((n) =>
    [`f${n}`, code(n, "S4 secret"), 500, `error resuming actor f${n}`, "error", 13] as const
  ),
  ...["", "0.0.0.0", "worker.example", "169.254.169.254", "fe80::1", "10.0.0.1:80", "1.2.3.4\r\nx"]
    .map((workerIp, i) =>
      [`ip${i}`, { kind: "ok", workerIp }, 500, `actor ip${i} routing failed`, "error", 13] as const
    ),
].map(([id, step, status, body, outcome, grpc]) => ({
  id: String(id),
  steps: [step as Step],
  status: Number(status),
  body: String(body),
  outcome: String(outcome),
  grpc: Number(grpc),
  attempts: 1,
}));

/** Retried while parking is on; final at the end of the budget. */
const RETRYABLE: readonly Row[] = [
  ["r8", RX, "actor r8 unavailable: no free workers available", "no_capacity"],
  [
    "r9",
    code(9, "actor is moving"),
    "actor r9 unavailable: actor is moving",
    "failed_precondition",
  ],
  ["r14", code(14, "S4 secret"), "actor r14 unavailable", "unavailable"],
  [
    "rs",
    { kind: "ok", status: 4 },
    "actor rs unavailable: actor is not running",
    "failed_precondition",
  ],
].map(([id, step, body, outcome]) => ({
  id: String(id),
  steps: [step as Step],
  status: 503,
  body: String(body),
  outcome: String(outcome),
  grpc: 14,
}));

const ABORTED: Row = {
  id: "r10",
  steps: [code(10, "resume in progress")],
  status: 503,
  body: "actor r10 unavailable: resume in progress",
  outcome: "conflict",
  grpc: 14,
};

const GRPC = { "content-type": "application/grpc", te: "trailers" };

async function check(stack: Stack, row: Row): Promise<void> {
  stack.script(row.id, ...row.steps);
  const [plain, grpc] = await Promise.all([
    stack.ask(row.id, { path: `/${row.id}` }),
    stack.ask(row.id, { method: "POST", headers: GRPC, body: "", path: `/grpc-${row.id}` }),
  ]);
  assertEquals([plain.status, plain.body], [row.status, row.body], row.id);
  assertEquals(plain.headers["content-type"], "text/plain", row.id);
  const retryAfter = row.status === 503 ? "1" : undefined;
  assertEquals(plain.headers["retry-after"], retryAfter, `B74 ${row.id}`);
  assertEquals(grpc.status, 200, `B71 ${row.id}`);
  assertEquals(grpc.headers["grpc-status"], String(row.grpc), `B71 ${row.id}`);
  assertEquals(decodeURIComponent(grpc.headers["grpc-message"] ?? ""), row.body, `B71 ${row.id}`);
  const line = await stack.envoy.logged(({ path }) => path === `/${row.id}`);
  assertEquals([line.details, line.outcome], [row.outcome, row.outcome], row.id);
  if (row.attempts !== undefined) {
    // Two requests that did not overlap are two flights.
    const calls = stack.calls(row.id).length;
    assertEquals(calls <= 2 * row.attempts, true, `${row.id}: ${calls} calls`);
  }
}

async function checkAll(stack: Stack, rows: readonly Row[]): Promise<void> {
  const results = await Promise.allSettled(rows.map((row) => check(stack, row)));
  const failed = results.filter((result) => result.status === "rejected");
  assertEquals(failed.map(({ reason }) => String(reason)), []);
}

for (const transport of TRANSPORTS) {
  Deno.test(`B71 B74 B59: ${transport}: every answer with parking on`, async () => {
    const flags = { "parked-request-budget": "1s", "grpc-transport": transport };
    await using stack = await startStack({ flags });
    await checkAll(stack, [...FINAL, ...RETRYABLE, ABORTED]);
    for (const { id } of [...RETRYABLE, ABORTED]) {
      assertGreaterOrEqual(stack.calls(id).length, 3, `${id} is retried`);
    }
    const { counters } = await stack.quiet();
    assertEquals(counters.waits.budget_exhausted, 2 * (RETRYABLE.length + 1));
    assertEquals(counters.bugs, 0);
    const said = JSON.stringify([stack.router.log(), await stack.router.status()]);
    assertEquals(said.includes("S4"), false, "the control plane's words stay here");
  });
}

Deno.test("every answer with parking off: only ABORTED is retried", async () => {
  await using stack = await startStack({ flags: { "parked-request-max": "0" } });
  await checkAll(stack, [...FINAL, ...RETRYABLE.map((row) => ({ ...row, attempts: 1 }))]);
  stack.script("busy", code(10, "x"), code(10, "x"), code(10, "x"), OK);
  const reply = await stack.ask("busy");
  assertEquals(reply.status, 200, reply.body);
  assertEquals(stack.calls("busy").length, 4);
  const { parking, counters } = await stack.quiet();
  assertEquals(parking.enabled, false);
  assertEquals([counters.parked, counters.shed], [0, 0]);
});

Deno.test("a retryable answer, then a final one: the final one counts", async () => {
  await using stack = await startStack();
  stack.script("gone", RX, RX, code(5, ""));
  const reply = await stack.ask("gone");
  assertEquals([reply.status, reply.body], [404, "actor gone not found"]);
  const line = await stack.envoy.logged(({ status }) => status === 404);
  assertEquals([line.outcome, line.park, line.attempts], ["not_found", "error", 3]);
});
