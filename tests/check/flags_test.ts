import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { checkFlags } from "../../src/check/flags.ts";
import type { Settings } from "../../src/check/settings.ts";
import { settingsOf } from "./settings_of.ts";

/** `id flag=value` of every problem, and whether it is an error. */
function found(explicit: Partial<Settings>): string[] {
  return checkFlags(settingsOf(explicit)).problems
    .map(({ id, flag, value, severity }) =>
      `${severity === "error" ? "" : "warning "}${id} ${flag}=${value}`
    );
}

Deno.test("the defaults break no rule but that of a secure control plane", () => {
  assertEquals(found({}), []);
  assertEquals(found({ ateapiAuth: "mtls" }), ["ateapi-auth-files --ateapi-auth=mtls"]);
});

const PARKING: readonly [explicit: Partial<Settings>, problems: string[]][] = [
  [{ parkedRequestMax: 0 }, []],
  [{ parkedRequestBudgetMs: 3_595_000 }, []],
  [{ parkedRequestBudgetMs: 3_595_001 }, ["budget-too-long --parked-request-budget=59m55.001s"]],
  [{ parkedRequestBudgetMs: 86_400_000, parkedRequestMax: 0 }, []],
  [{ parkedRequestMax: -1 }, ["lot-negative --parked-request-max=-1"]],
  [{ parkedRequestRetryFactor: 1 }, []],
  [{ parkedRequestRetryFactor: 0 }, []],
  [{ parkedRequestRetryFactor: 0.99 }, [
    "retry-factor-below-1 --parked-request-retry-factor=0.99",
  ]],
  [{ parkedRequestRetryFactor: -2 }, ["retry-factor-below-1 --parked-request-retry-factor=-2"]],
  [{ parkedRequestRetryJitter: 0 }, []],
  [{ parkedRequestRetryJitter: 0.999 }, []],
  [{ parkedRequestRetryJitter: 1 }, [
    "retry-jitter-outside-0-1 --parked-request-retry-jitter=1",
  ]],
  [{ parkedRequestRetryJitter: -0.1 }, [
    "retry-jitter-outside-0-1 --parked-request-retry-jitter=-0.1",
  ]],
  [{ extprocMaxRequests: 1024 }, []],
  [{ extprocMaxRequests: 1023 }, ["extproc-below-lot --extproc-max-requests=1023"]],
  [{ extprocMaxRequests: 1, parkedRequestMax: 0 }, []],
  [{ extprocMaxRequests: 0, parkedRequestMax: 50_000 }, []],
  [{ extprocMaxRequests: -1 }, ["extproc-negative --extproc-max-requests=-1"]],
  [{ extprocMaxRequests: -1, parkedRequestMax: 0 }, [
    "extproc-negative --extproc-max-requests=-1",
  ]],
  [{ parkedRequestMax: 2 ** 30 - 1 }, []],
  [{ parkedRequestMax: 2 ** 30 }, ["breaker-too-large --parked-request-max=1073741824"]],
  [{ parkedRequestMax: 2 ** 31 - 1, extprocMaxRequests: 2 ** 31 - 1 }, []],
];

Deno.test("checkFlags() holds the group Parking to its rules", () => {
  for (const [explicit, problems] of PARKING) {
    assertEquals(found(explicit), problems, JSON.stringify(explicit));
  }
});

const OTHERS: readonly [explicit: Partial<Settings>, problems: string[]][] = [
  [{ drainDelayMs: 0 }, []],
  [{ drainDelayMs: -1 }, ["drain-delay-negative --drain-delay=-1ms"]],
  [{ drainDelayMs: -1, terminationGracePeriodMs: 45_000 }, [
    "drain-delay-negative --drain-delay=-1ms",
    "grace-below-shutdown --termination-grace-period=45s",
  ]],
  [{ drainTimeoutMs: -1_000 }, ["drain-timeout-negative --drain-timeout=-1s"]],
  [{ terminationGracePeriodMs: -1_000 }, ["grace-negative --termination-grace-period=-1s"]],
  [{ routeTimeoutMs: 0 }, []],
  [{ routeTimeoutMs: -1 }, ["route-timeout-negative --route-timeout=-1ms"]],
  [{ healthIntervalMs: 0 }, ["health-interval-not-positive --health-interval=0s"]],
  [{ workerPort: 0 }, ["worker-port-zero --worker-port=0"]],
  [{ workerPort: -1 }, ["port-out-of-range --worker-port=-1"]],
  [{ portExtproc: 0, portXds: 0, portHttp: 0 }, []],
  [{ portExtproc: 65_536 }, ["port-out-of-range --port-extproc=65536"]],
  [{ portXds: -1 }, ["port-out-of-range --port-xds=-1"]],
  [{ portHttp: 99_999 }, ["port-out-of-range --port-http=99999"]],
  [{ portHttps: -5 }, ["port-out-of-range --port-https=-5"]],
  [{ statusPort: 0 }, []],
  [{ statusPort: -1 }, []],
  [{ statusPort: 65_536 }, ["port-out-of-range --status-port=65536"]],
  [{ metricsListenAddr: ":65536" }, ["port-out-of-range --metrics-listen-addr=:65536"]],
  [{ metricsListenAddr: "" }, []],
  [{ ateapiAddress: "a:70000" }, ["port-out-of-range --ateapi-address=a:70000"]],
  [{ envoyAdminAddress: "a:-1" }, ["port-out-of-range --envoy-admin-address=a:-1"]],
  [{ otlpCollectorAddress: "a:65536" }, ["port-out-of-range --otlp-collector-address=a:65536"]],
];

Deno.test("checkFlags() holds the other groups to their rules", () => {
  for (const [explicit, problems] of OTHERS) {
    assertEquals(found(explicit), problems, JSON.stringify(explicit));
  }
});

const CA = "ca.pem";
const AUTH: readonly [explicit: Partial<Settings>, problems: string[]][] = [
  [{ ateapiAuth: "mtls", ateapiCaFile: CA, ateapiClientCert: "c" }, []],
  [{ ateapiAuth: "mtls", ateapiCaFile: CA, ateapiClientCert: "c", ateapiClientKey: "k" }, []],
  [{ ateapiAuth: "mtls", ateapiCaFile: CA }, ["ateapi-auth-files --ateapi-auth=mtls"]],
  [{ ateapiAuth: "mtls", ateapiClientCert: "c" }, ["ateapi-auth-files --ateapi-auth=mtls"]],
  [{ ateapiAuth: "jwt", ateapiCaFile: CA, ateapiTokenFile: "t" }, []],
  [{ ateapiAuth: "jwt", ateapiCaFile: CA }, ["ateapi-auth-files --ateapi-auth=jwt"]],
  [{ ateapiAuth: "jwt", ateapiTokenFile: "t" }, ["ateapi-auth-files --ateapi-auth=jwt"]],
  [{ ateapiAuth: "insecure", ateapiCaFile: CA }, [
    "warning ateapi-file-unused --ateapi-ca-file=ca.pem",
  ]],
  [{ ateapiAuth: "jwt", ateapiCaFile: CA, ateapiTokenFile: "t", ateapiClientCert: "c" }, [
    "warning ateapi-file-unused --ateapi-client-cert=c",
  ]],
  [{ ateapiAuth: "mtls", ateapiCaFile: CA, ateapiClientCert: "c", ateapiTokenFile: "t" }, [
    "warning ateapi-file-unused --ateapi-token-file=t",
  ]],
];

Deno.test("checkFlags() asks for the files an authentication needs", () => {
  for (const [explicit, problems] of AUTH) {
    assertEquals(found(explicit), problems, JSON.stringify(explicit));
  }
});

Deno.test("checkFlags() names every missing file", () => {
  const [problem] = checkFlags(settingsOf({ ateapiAuth: "jwt" })).problems;
  assertEquals(problem?.rule, "needs --ateapi-ca-file and --ateapi-token-file");
});

Deno.test("checkFlags() reports every problem at once", () => {
  const report = checkFlags(settingsOf({
    parkedRequestMax: 2048,
    extprocMaxRequests: 1024,
    parkedRequestBudgetMs: 30_000,
    drainTimeoutMs: 20_000,
    parkedRequestRetryFactor: 0.5,
    parkedRequestRetryJitter: 1,
    drainDelayMs: -1,
    portHttp: 70_000,
    terminationGracePeriodMs: 60_000,
    ateapiAuth: "jwt",
  }));
  assertEquals(report.problems.map(({ id }) => id), [
    "retry-factor-below-1",
    "retry-jitter-outside-0-1",
    "extproc-below-lot",
    "drain-delay-negative",
    "drain-timeout-below-budget",
    "grace-below-shutdown",
    "port-out-of-range",
    "ateapi-auth-files",
  ]);
  for (const problem of report.problems) {
    assert(problem.rule !== "" && problem.reason !== "" && problem.fix !== "", problem.id);
    assertEquals(problem.kind, "rule");
  }
});

Deno.test("a refused value is replaced by its derived one, and the message says so", () => {
  const report = checkFlags(settingsOf({
    parkedRequestMax: 2048,
    extprocMaxRequests: 1024,
    parkedRequestBudgetMs: 30_000,
    drainTimeoutMs: 20_000,
    terminationGracePeriodMs: 60_000,
  }));
  const fixes = report.problems.map(({ fix }) => fix);
  assertEquals(fixes, [
    "Set it to 2048 or more, or leave it at 0 (derives 4096)",
    "Set 30s or more, or 0 (derives 45s)",
    "Raise it to 80s or shorten the budget",
  ]);
  const grace = report.problems.at(-1);
  assertEquals(grace?.rule, "is below the shutdown sequence of 76s");
  assertEquals(
    grace?.reason,
    "13s drain delay + 15s Envoy + 45s ext_proc drain (derived, since 20s is refused) + 3s = 76s",
  );
  assertEquals(report.derived.breaker, 4096);
  assertEquals(report.derived.drainTimeoutMs, 45_000);
  assertEquals(report.effective.values.extprocMaxRequests, 0);
});

Deno.test("every default or normalised value is left alone by the rules after it", () => {
  const report = checkFlags(settingsOf({ parkedRequestRetryFactor: 0, parkedRequestMax: -5 }));
  assertEquals(report.effective.values.parkedRequestRetryFactor, 1.1);
  assertEquals(report.effective.values.parkedRequestMax, 1024);
  assertEquals(report.derived.breaker, 2048);
});

Deno.test("a problem carries the words of the user and where they stand", () => {
  const sourced = settingsOf({ drainDelayMs: -1_500 }, {
    drainDelayMs: { text: "-1500ms", place: { file: "router.yaml", line: 7 } },
  });
  const [problem] = checkFlags(sourced).problems;
  assertEquals(problem?.value, "-1500ms");
  assertEquals(problem?.place, { file: "router.yaml", line: 7 });
});

Deno.test("checkFlags() does not change what it was given", () => {
  const sourced = settingsOf({ parkedRequestBudgetMs: 0, extprocMaxRequests: 1 });
  const before = structuredClone(sourced);
  const report = checkFlags(sourced);
  assertEquals(sourced, before);
  assertStringIncludes(report.notices[0]?.text ?? "", "--parked-request-budget=0s");
});
