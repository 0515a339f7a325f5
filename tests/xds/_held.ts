// An ext_proc that parks what it is asked, for changes that happen meanwhile.
import type { EnvoyOptions } from "../../src/envoy/options.ts";
import type { Asked } from "../support/ext_proc_script.ts";
import { startWorld, verdictFor, type World } from "./_world.ts";

/** Keeps what it is asked until it is told to answer. */
export class Held {
  readonly asked: Asked[] = [];
  #target = "";

  readonly script = (asked: Asked): void => {
    if (asked.headers.get(":path") === "/parked") this.asked.push(asked);
    else asked.reply(verdictFor("authority", this.#target));
  };

  sendTo(target: string): void {
    this.#target = target;
  }

  release(): void {
    for (const asked of this.asked.splice(0)) asked.reply(verdictFor("authority", this.#target));
  }
}

/** A world whose ext_proc holds every request for `/parked`. */
export async function startHeld(
  over: Partial<EnvoyOptions> = {},
): Promise<{ world: World; held: Held }> {
  const held = new Held();
  const world = await startWorld({ over, script: held.script });
  held.sendTo(`127.0.0.1:${world.worker.port}`);
  return { world, held };
}
