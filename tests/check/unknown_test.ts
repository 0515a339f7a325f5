import { assertEquals } from "@std/assert";
import { checkFlags } from "../../src/check/flags.ts";
import type { SettingName, Settings } from "../../src/check/settings.ts";
import { knownProblems } from "../../src/check/unknown.ts";
import { settingsOf } from "./settings_of.ts";

Deno.test("a finding that rests on something unknown is nobody's problem", () => {
  const rows: readonly [explicit: Partial<Settings>, unknown: SettingName[], ids: string[]][] = [
    [{ extprocMaxRequests: 2 }, [], ["extproc-below-lot"]],
    [{ extprocMaxRequests: 2 }, ["parkedRequestMax"], []],
    [{ extprocMaxRequests: 2 }, ["extprocMaxRequests"], []],
    [{ extprocMaxRequests: 2 }, ["workerPort", "logLevel"], ["extproc-below-lot"]],
    [{ drainTimeoutMs: 1_000 }, ["parkedRequestBudgetMs"], []],
    [{ terminationGracePeriodMs: 30_000 }, ["drainDelayMs"], []],
    [{ terminationGracePeriodMs: 30_000 }, ["portHttp"], ["grace-below-shutdown"]],
    [{ portHttp: 50_051 }, ["portExtproc"], []],
    [{ portHttp: 50_051 }, ["portXds"], ["listeners-collide"]],
    [{ ateapiAuth: "mtls" }, ["ateapiCaFile"], []],
    [{ ateapiAuth: "mtls" }, ["ateapiAuth"], []],
    [{ ateapiAuth: "jwt" }, ["ateapiClientCert"], ["ateapi-auth-files"]],
    [{ ateapiCaFile: "/ca" }, ["ateapiAuth"], []],
    [{ workerPort: 0 }, ["parkedRequestMax"], ["worker-port-zero"]],
  ];
  for (const [explicit, unknown, ids] of rows) {
    const { problems } = checkFlags(settingsOf(explicit));
    const found = knownProblems(problems, new Set(unknown)).map(({ id }) => id);
    assertEquals(found, ids, `${JSON.stringify(explicit)} without ${unknown}`);
  }
});
