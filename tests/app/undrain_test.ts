// Taking an Envoy back that an earlier router left draining: once, as soon as it answers.
import { assertEquals } from "@std/assert";
import { Undrain } from "../../src/app/undrain.ts";
import type { EnvoyState } from "../../src/envoy/admin.ts";

/** An Envoy whose admin interface answers what the script says; "away" = it does not. */
class ScriptedEnvoy {
  readonly calls: string[] = [];
  readonly log: string[] = [];
  okFails = 0;
  readonly #states: (EnvoyState | "away")[];

  /** A signal has come. */
  stopping = false;
  readonly undrain: Undrain;

  constructor(...states: (EnvoyState | "away")[]) {
    this.#states = states;
    this.undrain = new Undrain(this, this, () => this.stopping);
  }

  info(msg: string): void {
    this.log.push(msg);
  }

  serverInfo() {
    const state = this.#states.length > 1 ? this.#states.shift()! : this.#states[0]!;
    this.calls.push(`info ${state}`);
    if (state === "away") return Promise.reject(new Error("refused"));
    return Promise.resolve({ state, version: "1", uptimeSeconds: 1 });
  }

  healthcheckOk() {
    this.calls.push("ok");
    return this.okFails-- > 0 ? Promise.reject(new Error("reset")) : Promise.resolve();
  }
}

async function look(envoy: ScriptedEnvoy, times: number): Promise<void> {
  for (let n = 0; n < times; n++) await envoy.undrain.look();
}

Deno.test("an Envoy that drains at our start is taken back, once, and the log says so", async () => {
  const envoy = new ScriptedEnvoy("DRAINING");
  await look(envoy, 3);
  assertEquals(envoy.calls, ["info DRAINING", "ok"]);
  assertEquals(envoy.log, ["Envoy was draining for an earlier router, taken back"]);
});

Deno.test("an Envoy that is live is left alone, also when it drains later", async () => {
  const envoy = new ScriptedEnvoy("LIVE", "DRAINING");
  await look(envoy, 3);
  assertEquals(envoy.calls, ["info LIVE"]);
  assertEquals([envoy.log, envoy.undrain.tookBack], [[], false]);
});

Deno.test("an Envoy that initialises is asked again: it may drain for an earlier router", async () => {
  for (const state of ["INITIALIZING", "PRE_INITIALIZING"] as const) {
    const envoy = new ScriptedEnvoy(state, state, "DRAINING");
    await look(envoy, 5);
    assertEquals(envoy.calls, [`info ${state}`, `info ${state}`, "info DRAINING", "ok"]);
    assertEquals(envoy.log.length, 1);
    const live = new ScriptedEnvoy(state, "LIVE", "DRAINING");
    await look(live, 5);
    assertEquals(live.calls, [`info ${state}`, "info LIVE"]);
  }
});

Deno.test("an Envoy that does not answer is asked again until it does", async () => {
  const envoy = new ScriptedEnvoy("away", "away", "DRAINING");
  await look(envoy, 5);
  assertEquals(envoy.calls, ["info away", "info away", "info DRAINING", "ok"]);
});

Deno.test("taking back that fails is tried again", async () => {
  const envoy = new ScriptedEnvoy("DRAINING");
  envoy.okFails = 1;
  await look(envoy, 4);
  assertEquals(envoy.calls, ["info DRAINING", "ok", "info DRAINING", "ok"]);
  assertEquals(envoy.log.length, 1);
});

Deno.test("once our own shutdown has begun nobody takes its Envoy back", async () => {
  const ways = [
    (envoy: ScriptedEnvoy) => envoy.undrain.stop(),
    (envoy: ScriptedEnvoy) => void (envoy.stopping = true),
  ];
  for (const stop of ways) {
    const envoy = new ScriptedEnvoy("DRAINING");
    stop(envoy);
    await envoy.undrain.look();
    assertEquals(envoy.calls, []);
    const asked = new ScriptedEnvoy("DRAINING");
    const looking = asked.undrain.look();
    stop(asked);
    await looking;
    assertEquals([asked.calls, asked.undrain.tookBack], [["info DRAINING"], false]);
  }
});

Deno.test("an Envoy that was told to take traffic counts as taken back, whatever it answered", async () => {
  for (const okFails of [0, 1]) {
    const envoy = new ScriptedEnvoy("DRAINING");
    envoy.okFails = okFails;
    await envoy.undrain.look();
    assertEquals(envoy.undrain.tookBack, true);
  }
});

Deno.test("without an Envoy nobody is asked", async () => {
  const envoy = new ScriptedEnvoy("DRAINING");
  await new Undrain(undefined, envoy).look();
  assertEquals([envoy.calls, envoy.log], [[], []]);
});
