// Scripted answers per actor: a queue of steps that the pool takes one from at each ResumeActor.
// Owned by the pool; filled by tests and benchmarks.
import type { ActorRef } from "../engine/mod.ts";
import { keyOf, type ScriptOptions, type Step } from "./model.ts";

interface Script {
  readonly steps: Step[];
  readonly repeatLast: boolean;
}

/** The scripts of all actors. An actor without one, or whose steps are used up, has none. */
export class Scripts {
  readonly #byActor = new Map<string, Script>();

  /** Replaces the actor's script; no steps = no script. */
  set(actor: ActorRef, steps: readonly Step[], options: ScriptOptions = {}): void {
    const key = keyOf(actor);
    if (steps.length === 0) this.#byActor.delete(key);
    else this.#byActor.set(key, { steps: [...steps], repeatLast: options.repeatLast === true });
  }

  /** The step for this call; undefined = the pool decides. */
  take(actor: ActorRef): Step | undefined {
    const key = keyOf(actor);
    const script = this.#byActor.get(key);
    if (script === undefined) return undefined;
    if (script.repeatLast && script.steps.length === 1) return script.steps[0];
    const step = script.steps.shift();
    if (script.steps.length === 0) this.#byActor.delete(key);
    return step;
  }
}
