import { assertEquals } from "@std/assert";
import { checkFlags } from "../../src/check/flags.ts";
import { listeners } from "../../src/check/listener_rules.ts";
import type { Settings } from "../../src/check/settings.ts";
import { settingsOf } from "./settings_of.ts";

/** `flag rule` of every collision. */
function collisions(explicit: Partial<Settings>): string[] {
  return checkFlags(settingsOf(explicit)).problems
    .filter(({ id }) => id === "listeners-collide")
    .map(({ flag, rule }) => `${flag} ${rule}`);
}

const ROWS: readonly [explicit: Partial<Settings>, collisions: string[]][] = [
  [{}, []],
  [{ portExtproc: 18_000 }, ["--port-extproc is the address of --port-xds=18000 too"]],
  [{ portXds: 50_051 }, ["--port-xds is the address of --port-extproc=50051 too"]],
  [{ portExtproc: 0, portXds: 0, statusPort: 0, portHttp: 0 }, []],
  [{ portExtproc: 4040 }, ["--port-extproc is the address of --status-port=4040 too"]],
  [{ portExtproc: 4040, statusAddress: "10.0.0.1" }, []],
  [{ portExtproc: 4040, extprocAddress: "::1" }, []],
  [{ portExtproc: 4040, extprocAddress: "::" }, [
    "--port-extproc is the address of --status-port=4040 too",
  ]],
  [{ portExtproc: 18_000, extprocAddress: "::1", xdsAddress: "0:0::1" }, [
    "--port-extproc is the address of --port-xds=18000 too",
  ]],
  [{ portExtproc: 18_000, extprocAddress: "127.0.0.2" }, []],
  [{ statusPort: 9090 }, ["--status-port is the address of --metrics-listen-addr=:9090 too"]],
  [{ metricsListenAddr: "127.0.0.1:4040" }, [
    "--metrics-listen-addr is the address of --status-port=4040 too",
  ]],
  [{ metricsListenAddr: "[::1]:4040" }, []],
  [{ metricsListenAddr: "" }, []],
  [{ portHttp: 4040 }, ["--port-http is the address of --status-port=4040 too"]],
  [{ portHttp: 50_051 }, ["--port-http is the address of --port-extproc=50051 too"]],
  [{ portHttp: 8443 }, []],
  [{ portHttp: 8443, envoyCertPath: "tls.pem" }, [
    "--port-http is the address of --port-https=8443 too",
  ]],
  [{ statusPort: 9901 }, [
    "--status-port is the address of --envoy-admin-address=127.0.0.1:9901 too",
  ]],
  [{ statusPort: 9901, envoyAdminAddress: "10.0.0.1:9901" }, []],
  [{ statusPort: 9901, envoyAdminAddress: "" }, []],
];

Deno.test("two listeners on one address are refused, the explicit one is named", () => {
  for (const [explicit, expected] of ROWS) {
    assertEquals(collisions(explicit), expected, JSON.stringify(explicit));
  }
});

Deno.test("each collision is reported once, against the first of its address", () => {
  assertEquals(collisions({ portExtproc: 7000, portXds: 7000, statusPort: 7000 }), [
    "--port-xds is the address of --port-extproc=7000 too",
    "--status-port is the address of --port-extproc=7000 too",
  ]);
});

Deno.test("a refused port collides with nothing", () => {
  const report = checkFlags(settingsOf({ portExtproc: 70_000, portXds: 70_000 }));
  assertEquals(report.problems.map(({ id }) => id), ["port-out-of-range", "port-out-of-range"]);
});

Deno.test("the reason names both addresses in full", () => {
  const [problem] = checkFlags(settingsOf({ extprocAddress: "::", portExtproc: 4040 })).problems;
  assertEquals(
    problem?.reason,
    "[::]:4040 and 0.0.0.0:4040 overlap: the second to start fails",
  );
});

Deno.test("listeners() lists what is bound beside each other", () => {
  const all = listeners(settingsOf({}).values).map(({ setting, host, port }) =>
    `${setting} ${host} ${port}`
  );
  assertEquals(all, [
    "portExtproc 127.0.0.1 50051",
    "portXds 127.0.0.1 18000",
    "statusPort 0.0.0.0 4040",
    "portHttp 0.0.0.0 8080",
    "metricsListenAddr :: 9090",
    "envoyAdminAddress 127.0.0.1 9901",
  ]);
});
