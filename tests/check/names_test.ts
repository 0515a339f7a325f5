import { assertEquals } from "@std/assert";
import { assignment, flagName, shown, written } from "../../src/check/names.ts";
import { settingsOf } from "./settings_of.ts";

Deno.test("flagName() follows from the setting's name", () => {
  assertEquals(flagName("parkedRequestBudgetMs"), "--parked-request-budget");
  assertEquals(flagName("parkedRequestMax"), "--parked-request-max");
  assertEquals(flagName("portHttps"), "--port-https");
  assertEquals(flagName("metricsListenAddr"), "--metrics-listen-addr");
});

Deno.test("values are shown with their unit, or as they were written", () => {
  const sourced = settingsOf({ drainDelayMs: 1_500, parkedRequestMax: 7 }, {
    drainDelayMs: { text: "1500ms" },
  });
  assertEquals(shown("drainDelayMs", 1_500), "1.5s");
  assertEquals(written(sourced, "drainDelayMs"), "1500ms");
  assertEquals(assignment(sourced, "drainDelayMs"), "--drain-delay=1500ms");
  assertEquals(assignment(sourced, "parkedRequestMax"), "--parked-request-max=7");
  assertEquals(assignment(sourced, "parkedRequestLastChance"), "--parked-request-last-chance=true");
});
