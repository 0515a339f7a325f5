// `status`: exit codes, messages when there is no router, the screen, --watch and --explain.
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Snapshot } from "../../src/admin/snapshot.ts";
import { isHarmless } from "../../src/cli/harmless.ts";
import type { Reply } from "../../src/cli/io.ts";
import { DRAIN_STEPS } from "../../src/process/drain.ts";
import { assertGolden } from "../golden/golden.ts";
import { call, type World } from "./fake_io.ts";
import { snapshot } from "./support/snapshot.ts";

const URL_DEFAULT = "http://127.0.0.1:4040/statusz?format=json";
const DOMAIN = "actors.resources.substrate.ate.dev";

function reply(document: Snapshot): Reply {
  const body = JSON.stringify(document, undefined, 2) + "\n";
  return { status: 200, contentType: "application/json", body };
}

function answering(change: Partial<Snapshot> = {}, world: World = {}): World {
  return { ...world, replies: { [URL_DEFAULT]: reply(snapshot(change)) } };
}

Deno.test("the screen answers what, why and whether it gets worse, within 80 columns and 24 lines", async () => {
  const { code, stdout } = await call(["status"], answering());
  assertEquals(code, 0);
  await assertGolden("status.txt", stdout);
  const lines = stdout.trimEnd().split("\n");
  assert(lines.length <= 24, `${lines.length} lines`);
  for (const line of lines) assert(line.length <= 80, `too wide: ${line}`);
});

Deno.test("a busy router with long names fits 80 columns too, and nothing is lost", async () => {
  const parking = { enabled: true, active: 2_048, max_parked: 2_048, max_wait: "15s" };
  const { last_minute, waits, summary, envoy } = snapshot();
  const text = "Saturated: 12,655 requests waited 15s in vain in the last minute; " +
    "more ".repeat(20);
  const { stdout } = await call(
    ["status"],
    answering({
      parking,
      waits: { ...waits, oldest_ms: 14_900, budget_ms: 15_000 },
      summary: { ...summary, text },
      envoy: { ...envoy, streams: 1 },
      queries: Array.from({ length: 100 }, () => ({
        ...snapshot().queries[0]!,
        host: `${"a".repeat(63)}.demo`,
        outcome: "unavailable",
        park: "budget_exhausted",
        waited_ms: 5_000,
        target: null,
        status: 503,
      })),
      last_minute: {
        ...last_minute,
        reasons: [{ code: "RESOURCE_EXHAUSTED", description: "x".repeat(200), count: 2 }],
      },
    }, { terminal: true }),
  );
  // deno-lint-ignore no-control-regex
  const lines = stdout.replace(/\u001b\[\d*m/g, "").trimEnd().split("\n");
  assert(lines.length <= 24, `${lines.length} lines`);
  for (const line of lines) assert(line.length <= 80, `too wide: ${line}`);
  const joined = lines.join(" ").replace(/ +/g, " ");
  assertStringIncludes(joined, text.trim());
  assertStringIncludes(joined, "2,048 / 2,048 [############] 100 % FULL oldest 15 s of 15 s");
  assertStringIncludes(joined, "1 stream ");
});

Deno.test("a full lot is healthy, and said", async () => {
  const parking = { enabled: true, active: 4, max_parked: 4, max_wait: "5s" };
  const { code, stdout } = await call(["status"], answering({ parking }));
  assertEquals(code, 0);
  assertStringIncludes(stdout, "4 / 4 [############]  100 %  FULL");
});

Deno.test("unhealthy or draining is 1, and each problem is named", async () => {
  const health = { healthy: false, problems: ["no control-plane connection for 7 s"] };
  const drain = { step: "ext_proc", elapsed_ms: 1_804, forced: false, ledger: { remaining: 41 } };
  const { code, stdout } = await call(["status"], answering({ health, drain, state: "draining" }));
  assertEquals(code, 1);
  assertStringIncludes(stdout, "unhealthy: no control-plane connection for 7 s");
  assertStringIncludes(stdout, "step ext_proc, 1.8 s; 41 without a verdict");
});

Deno.test("parking off, no reasons, a drained Envoy: every line still says something", async () => {
  const parking = { enabled: false, active: 0, max_parked: 0, max_wait: "0s" };
  const { last_minute, envoy } = snapshot();
  const { stdout } = await call(
    ["status"],
    answering({
      parking,
      last_minute: { ...last_minute, reasons: [], wait_p50_ms: null },
      envoy: { ...envoy, answering: false, state: null },
      queries: [],
    }),
  );
  assertStringIncludes(stdout, "PARKING   off: a full pool means 503 at once");
  assertStringIncludes(stdout, "WHY       nobody had to wait");
  assertStringIncludes(stdout, "ENVOY     admin does not answer");
});

Deno.test("--format json and --json print exactly the document", async () => {
  for (const flag of [["--format", "json"], ["--format=json"], ["--json"]]) {
    const { code, stdout } = await call(["status", ...flag], answering());
    assertEquals([code, stdout], [0, reply(snapshot()).body]);
  }
});

Deno.test("colours only on a terminal, and never with NO_COLOR", async () => {
  const ESC = "\u001b[";
  const painted = await call(["status"], answering({}, { terminal: true }));
  assertStringIncludes(painted.stdout, ESC);
  for (const world of [{}, { terminal: true, env: { NO_COLOR: "1" } }]) {
    const { stdout } = await call(["status"], answering({}, world));
    assert(!stdout.includes(ESC));
  }
});

Deno.test("not a router is 3, with what it seems to be and what to do", async () => {
  const rows: readonly [Reply | Error, string][] = [
    [{ status: 200, contentType: "text/html", body: "<html>\u001b[31mnginx" }, "text/html"],
    [{ status: 200, contentType: "text/\u001b]0;x\u0007\u009bh", body: "" }, "text/\\x1b]0;x"],
    [{ status: 200, contentType: "x".repeat(9_000), body: "y".repeat(9_000) }, 'xxx, "yyy'],
    [{ status: 200, contentType: "", body: "<html>" }, "no content type"],
    [{ status: 404, contentType: "", body: "" }, "status 404"],
    [{ status: 200, contentType: "application/json", body: '{"name":"x"}' }, "something else"],
    [new TypeError("Connection refused (os error 111)"), "connection refused"],
    [new Error("no answer in time"), "no answer within 3000 ms"],
    [new Error("the answer is not HTTP/1"), "not Envoy's or ext_proc's"],
    [new Error("no route to host"), "no route to host"],
  ];
  for (const [answer, words] of rows) {
    const { code, stdout, stderr } = await call(["status"], { replies: { [URL_DEFAULT]: answer } });
    assertEquals([code, stdout], [3, ""], words);
    assertStringIncludes(stderr, "Cannot read the status of http://127.0.0.1:4040");
    assertStringIncludes(stderr, words);
    assert(stderr.split("\n").every(isHarmless), "what came is escaped");
    assert(stderr.length < 500, `${stderr.length} characters`);
  }
});

Deno.test("the address: flag, port flag, environment, default", async () => {
  const rows: readonly [string[], Record<string, string>, string][] = [
    [["--address=http://10.0.0.7:4041"], {}, "http://10.0.0.7:4041/statusz?format=json"],
    [["--address", "http://h:1/statusz"], {}, "http://h:1/statusz?format=json"],
    [["--status-port=5050"], {}, "http://127.0.0.1:5050/statusz?format=json"],
    [[], { ATENET_STATUS_PORT: "6060" }, "http://127.0.0.1:6060/statusz?format=json"],
  ];
  for (const [args, env, url] of rows) {
    const world = { env, replies: { [url]: reply(snapshot()) } };
    assertEquals((await call(["status", ...args], world)).code, 0, args.join(" "));
  }
});

Deno.test("words that are not understood are 2 and nothing is asked", async () => {
  const rows = [
    ["--watchh"],
    ["--timeout=0"],
    ["--timeout=3"],
    ["--format=xml"],
    ["--address=10.0.0.7"],
    ["--address=https://10.0.0.7:1"],
    ["--explain=x", "--json"],
    ["--explain=https://a.b.actors.resources.substrate.ate.dev/path"],
    ["--explain", "a b"],
    ["--json", "--format=text"],
    ["--status-port=0"],
    ["--status-port=-1"],
    ["--status-port=65536"],
    ["stray"],
  ];
  for (const args of rows) {
    const { code, stdout, stderr } = await call(["status", ...args], answering());
    assertEquals([code, stdout], [2, ""], args.join(" "));
    assertStringIncludes(
      stderr,
      args.find((word) => word.startsWith("--"))?.split("=")[0] ?? "stray",
    );
  }
});

Deno.test("a port from the environment that is none is 2, and where it came from is said", async () => {
  const rows: readonly [text: string, headline: string][] = [
    ["abc", "is not a plain decimal integer"],
    ["0", "turns the status server off"],
    ["-1", "turns the status server off"],
    ["99999", "is outside 1-65535"],
  ];
  for (const [text, rule] of rows) {
    const env = { ATENET_STATUS_PORT: text };
    const { code, stdout, stderr } = await call(["status"], answering({}, { env }));
    assertEquals([code, stdout], [2, ""], text);
    assertEquals(
      stderr.split("\n")[0],
      `error  --status-port=${text} (environment ATENET_STATUS_PORT) ${rule}`,
    );
    const address = ["--address=http://127.0.0.1:4040"];
    assertEquals((await call(["status", ...address], answering({}, { env }))).code, 0, text);
  }
  assertEquals(
    (await call(["status"], answering({}, { env: { ATENET_STATUS_PORT: "" } }))).code,
    0,
  );
});

Deno.test("an address without http:// is told how to write it", async () => {
  const rows = [
    ["localhost:4040", "Write http://localhost:4040."],
    ["10.0.0.7", "Write it like http://10.0.0.7:4040."],
    ["https://10.0.0.7:4040", "Write http: it speaks plain HTTP."],
  ] as const;
  for (const [address, fix] of rows) {
    const { stderr } = await call(["status", "--address", address], answering());
    assertStringIncludes(stderr, fix);
  }
});

Deno.test("--watch asks again until it is interrupted; its code is the last one's", async () => {
  const { code, stdout } = await call(["status", "--watch"], answering({}, { pauses: 2 }));
  assertEquals(code, 0);
  assertEquals(stdout.split("atenet-router 0.3.0").length - 1, 3);
  const away = await call(["status", "--watch"], { pauses: 1 });
  assertEquals(away.code, 3, "a router that is away is waited for");
});

Deno.test("--watch ends when nobody reads what it writes, with the code of its last answer", async () => {
  const rows: readonly [world: World, code: number, asked: number][] = [
    [answering({}, { writes: 2, pauses: 9 }), 0, 3],
    [answering({}, { pauses: 9 }), 0, 10],
    [{ writes: 4, pauses: 9 }, 3, 3],
    [{ writes: 3, pauses: 9 }, 3, 2],
  ];
  for (const [world, code, asked] of rows) {
    const ended = await call(["status", "--watch"], world);
    assertEquals([ended.code, ended.asked.length], [code, asked]);
  }
});

Deno.test("--explain says what would happen to a host, and asks nobody to resume", async () => {
  const rows: readonly [string, Partial<Snapshot>, string[]][] = [
    [`A1.demo.${DOMAIN}.:8443`, {}, [
      "is actor a1 in atespace demo",
      "parked, last answer RESOURCE_EXHAUSTED; 7 attempts, 2 callers, 1.5 s old",
      "would join it: 3.5 s of budget are left",
      "212 of 1024 slots are free",
    ]],
    [`a2.demo.${DOMAIN}`, {}, ["in its first attempt", "its budget is over"]],
    [`a9.demo.${DOMAIN}`, {}, ["none: the request would start one", "608 younger flights"]],
    [
      `a9.demo.${DOMAIN}`,
      { parking: { enabled: true, active: 4, max_parked: 4, max_wait: "5s" } },
      [
        "it would be shed with 503",
      ],
    ],
    [
      `a9.demo.${DOMAIN}`,
      { parking: { enabled: false, active: 0, max_parked: 0, max_wait: "0s" } },
      [
        "parking is off",
      ],
    ],
    ["evil.example", {}, ["names no actor: not under", "verdict   404"]],
    ["user:secret@a1", {}, ['"***@a1" names no actor: userinfo is not allowed']],
  ];
  for (const [host, change, words] of rows) {
    const { code, stdout } = await call(["status", "--explain", host], answering(change));
    assertEquals(code, 0);
    for (const word of words) assertStringIncludes(stdout, word);
    assert(!stdout.includes("secret"));
  }
});

Deno.test("--explain during a drain: all holds until step ext_proc, then nobody is parked", async () => {
  const parks = ["readiness", "delay", "envoy"];
  for (const step of [...DRAIN_STEPS, "done"]) {
    const drain = { step, elapsed_ms: 10, forced: false, ledger: {} };
    const change = { drain, parking: { enabled: true, active: 4, max_parked: 4, max_wait: "5s" } };
    for (
      const [more, words] of [
        [{}, "full (4 of 4): it would be shed"],
        [{ parking: { ...change.parking, active: 1 } }, "3 of 4 slots are free"],
        [{ parking: { ...change.parking, enabled: false } }, "parking is off"],
      ] as const
    ) {
      const args = ["status", "--explain", `a9.demo.${DOMAIN}`];
      const { stdout } = await call(args, answering({ ...change, ...more }));
      const [shows, note] = [stdout.includes(words), `draining, step ${step}`];
      assertEquals([shows, stdout.includes(note)], [parks.includes(step), parks.includes(step)]);
      assertEquals(stdout.includes("draining: nobody new is parked"), !shows, step);
    }
  }
});
