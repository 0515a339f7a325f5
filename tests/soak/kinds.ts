// The kinds of requests of the soak: what each does to the control plane, what its client does, and
// how it may end while the control plane is well. Read by traffic.ts and ledger.ts.
import type { Step } from "../../src/sim/model.ts";
import { OK, RX } from "../support/stack.ts";

/** Status and route outcome of an end. */
export type End = readonly [status: number, outcome: string];

export interface Kind {
  readonly name: string;
  /** Of a hundred requests. */
  readonly share: number;
  /** Script of an actor of its own; undefined = one of the actors that always run. */
  readonly steps?: (draw: () => number) => readonly Step[];
  /** Requests for one actor at once. */
  readonly callers?: number;
  /** The client leaves after so many ms, if nothing has come. */
  readonly leavesAfterMs?: (draw: () => number) => number;
  /** A host that names no actor. */
  readonly host?: (n: number) => string;
  /** Ends that are right while nothing is broken. */
  readonly ends: readonly End[];
}

/** With a full lot whoever has to wait is shed. */
const SHED: End = [503, "shed"];

function code(number: number): Step {
  return { kind: "status", code: number, message: "said by the soak" };
}

/** RESOURCE_EXHAUSTED some times, then OK. */
function blocked(draw: () => number): Step[] {
  return [...Array.from({ length: 1 + Math.floor(5 * draw()) }, () => RX), OK];
}

export const KINDS: readonly Kind[] = [
  { name: "warm", share: 52, ends: [[200, "ok"]] },
  { name: "parked", share: 14, steps: blocked, ends: [[200, "ok"], SHED] },
  { name: "joined", share: 4, steps: blocked, callers: 3, ends: [[200, "ok"], SHED] },
  {
    name: "late",
    share: 2,
    // Its second attempt is in progress when the budget of 3 s ends.
    steps: () => [RX, { ...OK, delayMs: 3_300 }],
    ends: [[200, "ok"], SHED],
  },
  { name: "exhausted", share: 3, steps: () => [RX], ends: [[503, "no_capacity"], SHED] },
  {
    name: "left",
    share: 9,
    steps: () => [RX],
    // Late enough that Envoy has asked the router, however busy the machine; before the budget ends.
    leavesAfterMs: (draw) => 400 + 800 * draw(),
    // Its verdict may be on its way when it leaves.
    ends: [[0, "cancelled"], SHED],
  },
  { name: "missing", share: 5, steps: () => [code(5)], ends: [[404, "not_found"]] },
  { name: "forbidden", share: 2, steps: () => [code(7)], ends: [[403, "permission_denied"]] },
  { name: "broken", share: 2, steps: () => [code(13)], ends: [[500, "error"]] },
  {
    name: "nobody",
    share: 4,
    host: (n) => ["nobody.example", `A_${n}.demo.x`, "127.0.0.1", `a..demo${n}`][n % 4]!,
    ends: [[404, "invalid_host"]],
  },
  {
    name: "misnamed",
    share: 3,
    host: (n) => `a${n}.actors.resources.substrate.ate.dev`,
    ends: [[404, "invalid_host"]],
  },
];

/** More waiting at once than the lot has slots; sent as a burst, never drawn. */
export const CROWD: Kind = {
  name: "crowd",
  share: 0,
  steps: () => [RX],
  ends: [[503, "no_capacity"], SHED],
};

/** What any request for an actor may also get while the control plane is away or comes back. */
export const BROKEN_ENDS: readonly End[] = [
  [200, "ok"],
  [503, "unavailable"],
  [503, "no_capacity"],
  SHED,
];

/** A kind by a draw; shares add up to 100. */
export function drawKind(draw: number): Kind {
  let left = 100 * draw;
  for (const kind of KINDS) {
    left -= kind.share;
    if (left < 0) return kind;
  }
  return KINDS[0]!;
}
