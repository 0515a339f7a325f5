// The bound that validate promises is the bound that the shutdown keeps.
import { assertEquals } from "@std/assert";
import { derive } from "../../src/check/derived.ts";
import { shutdownSumMs } from "../../src/process/tail.ts";
import { settingsOf } from "../check/settings_of.ts";

Deno.test("validate and the shutdown agree on the length of the sequence", () => {
  const rows = [
    {},
    { envoyAdminAddress: "" },
    { drainDelayMs: 0, drainTimeoutMs: 30_000 },
    { parkedRequestBudgetMs: 30_000 },
    { parkedRequestMax: 0, envoyAdminAddress: "" },
  ];
  for (const row of rows) {
    const { values } = settingsOf(row);
    const { drainTimeoutMs, shutdown } = derive(values);
    const times = { delayMs: values.drainDelayMs, timeoutMs: drainTimeoutMs };
    const hasEnvoy = values.envoyAdminAddress !== "";
    assertEquals(shutdownSumMs(times, hasEnvoy), shutdown.totalMs, JSON.stringify(row));
  }
});
