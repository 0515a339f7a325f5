import { assert, assertEquals } from "@std/assert";
import { flagName } from "../../src/check/names.ts";
import { PARKING_DEFAULTS } from "../../src/engine/mod.ts";
import { COMMANDS } from "../../src/cli/commands.ts";
import { defaultSettings, defaultValue } from "../../src/cli/flags/layers.ts";
import { environmentName, GROUPS } from "../../src/cli/flags/spec.ts";
import { CONFIG_FLAG, HELP_FLAG, SETTING_FLAGS } from "../../src/cli/flags/table.ts";
import { parkingPolicy } from "../../src/check/policy.ts";

const SETTINGS_SOURCE = new URL("../../src/check/settings.ts", import.meta.url);

Deno.test("every setting has exactly one flag, named after it", async () => {
  const source = await Deno.readTextFile(SETTINGS_SOURCE);
  const body = source.slice(source.indexOf("interface Settings"), source.indexOf("SettingName"));
  const fields = [...body.matchAll(/readonly (\w+):/g)].map((match) => match[1] ?? "").sort();
  assert(fields.length > 30, `${fields.length} settings found`);
  assertEquals(SETTING_FLAGS.map(({ setting }) => setting as string).sort(), fields);
  for (const { name, setting } of SETTING_FLAGS) assertEquals(flagName(setting), `--${name}`);
});

Deno.test("names are unique over settings and the flags of each command", () => {
  for (const { name, own, settings } of COMMANDS) {
    const shared = settings ? [...SETTING_FLAGS, CONFIG_FLAG] : [];
    const all = [...shared, HELP_FLAG, ...own].map((flag) => flag.name);
    assertEquals(all.filter((one, i) => all.indexOf(one) !== i), [], name);
  }
});

Deno.test("groups stand together and in order", () => {
  const seen = SETTING_FLAGS.map(({ group }) => group).filter((one, i, all) => one !== all[i - 1]);
  assertEquals(seen, [...GROUPS]);
});

Deno.test("every default is a value of its flag, of the type of its setting", () => {
  for (const flag of SETTING_FLAGS) {
    const value = defaultValue(flag);
    const expected = { duration: "number", count: "number", port: "number", number: "number" }[
      flag.form.kind as string
    ] ?? (flag.form.kind === "boolean" ? "boolean" : "string");
    assertEquals(typeof value, expected, flag.name);
    assertEquals(flag.setting.endsWith("Ms"), flag.form.kind === "duration", flag.name);
  }
});

Deno.test("the defaults of parking are the engine's", () => {
  assertEquals(parkingPolicy(defaultSettings()), PARKING_DEFAULTS);
});

Deno.test("the defaults are the documented ones", () => {
  const fallbacks = Object.fromEntries(SETTING_FLAGS.map(({ name, fallback }) => [name, fallback]));
  assertEquals(fallbacks, {
    "parked-request-budget": "5s",
    "parked-request-max": "1024",
    "parked-request-retry-interval": "100ms",
    "parked-request-retry-factor": "1.1",
    "parked-request-retry-jitter": "0.1",
    "parked-request-last-chance": "true",
    "extproc-max-requests": "0",
    "drain-delay": "13s",
    "drain-timeout": "0",
    "envoy-admin-address": "127.0.0.1:9901",
    "drain-complete-file": "",
    "termination-grace-period": "0",
    "extproc-address": "127.0.0.1",
    "port-extproc": "50051",
    "xds-address": "127.0.0.1",
    "port-xds": "18000",
    "status-address": "0.0.0.0",
    "status-port": "4040",
    "metrics-listen-addr": ":9090",
    "port-http": "8080",
    "port-https": "8443",
    "ateapi-address": "api.ate-system.svc:443",
    "ateapi-auth": "mtls",
    "ateapi-ca-file": "",
    "ateapi-client-cert": "",
    "ateapi-client-key": "",
    "ateapi-server-name": "",
    "ateapi-token-file": "",
    "health-interval": "1s",
    "grpc-transport": "native",
    "envoy-cert-path": "",
    "route-timeout": "10s",
    "otlp-collector-address": "",
    "worker-port": "80",
    "route-mode": "authority",
    "log-level": "info",
    "actor-domain": "actors.resources.substrate.ate.dev",
  });
});

Deno.test("environment names follow from flag names", () => {
  const [first] = SETTING_FLAGS;
  assert(first !== undefined);
  assertEquals(environmentName(first), "ATENET_PARKED_REQUEST_BUDGET");
  assertEquals(environmentName(CONFIG_FLAG), "ATENET_CONFIG");
});

Deno.test("help lines are short, start small and have no full stop", () => {
  const own = COMMANDS.flatMap((command) => [...command.own]);
  for (const { name, help, more } of [...SETTING_FLAGS, CONFIG_FLAG, HELP_FLAG, ...own]) {
    assert(help.length <= 80, `${name}: ${help.length}`);
    assert(!help.endsWith("."), name);
    assert(more === undefined || more.endsWith("."), name);
  }
});

Deno.test("a flag that takes an empty value says so in its help line", () => {
  for (const { name, help, empty } of SETTING_FLAGS) {
    assertEquals(/\bempty = /.test(help), empty !== undefined, name);
  }
});
