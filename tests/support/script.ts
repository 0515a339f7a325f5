// Script tests: rows of {at ms, who, does} played on a stage -> the verdicts in order with their
// instants, the attempts, the bodies, the lot's events; and nothing may be left at the end.
import { assertEquals } from "@std/assert";
import type { LeaveReason } from "../../src/engine/mod.ts";
import { leftovers, type Row, Stage, type StageOptions } from "./stage.ts";

export interface Script extends StageOptions {
  readonly name: string;
  readonly rows: readonly Row[];
  readonly verdicts: readonly string[];
  readonly attempts?: Readonly<Record<string, readonly number[]>>;
  readonly bodies?: Readonly<Record<string, string>>;
  /** `<namespace>/<name>` by who was told. */
  readonly templates?: Readonly<Record<string, string>>;
  readonly events?: readonly string[];
  /** Reported bugs; none unless said. */
  readonly bugs?: readonly string[];
}

/** What {@link leftovers} says when nothing is left. */
export const QUIET = {
  flights: 0,
  callers: 0,
  attemptsInProgress: 0,
  slots: 0,
  active: 0,
  timers: 0,
  bugs: 0,
};

/** Instants of one whole flight of the stage's policy that meets a retryable answer in 0 ms. */
export const SCHEDULE = [0, 100, 210, 331, 464, 611, 772, 949, 1144, 1358, 1594, 1853, 2000];

export function ask(at: number, who: string, actor?: string, deadlineMs?: number): Row {
  return {
    at,
    who,
    does: { ask: actor ?? "a", ...(deadlineMs === undefined ? {} : { deadlineMs }) },
  };
}

export function leave(at: number, who: string, reason: LeaveReason = "canceled"): Row {
  return { at, who, does: { leave: reason } };
}

/** One test per script. */
export function testScripts(scripts: readonly Script[]): void {
  for (const script of scripts) {
    Deno.test(script.name, () => {
      const stage = new Stage(script).play(script.rows);
      assertEquals(stage.verdicts, script.verdicts);
      for (const [actor, instants] of Object.entries(script.attempts ?? {})) {
        assertEquals(stage.attemptsAt(actor), instants, `attempts for ${actor}`);
      }
      for (const [who, body] of Object.entries(script.bodies ?? {})) {
        assertEquals(stage.bodies[who], body);
      }
      for (const [who, template] of Object.entries(script.templates ?? {})) {
        assertEquals(stage.templates[who], template, `template of ${who}`);
      }
      if (script.events !== undefined) assertEquals(stage.events, script.events);
      assertEquals(stage.bugs, script.bugs ?? []);
      assertEquals(leftovers(stage), { ...QUIET, bugs: stage.bugs.length });
    });
  }
}
