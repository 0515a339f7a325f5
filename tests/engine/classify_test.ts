// Every row of the answer table, with parking on and off, and what a server says that must not leak.
import { assert, assertEquals } from "@std/assert";
import { classify, type Refused } from "../../src/engine/classify.ts";
import { type Answer, Code } from "../../src/engine/mod.ts";
import { ok, status } from "../support/stage.ts";

const SECRET = "raw server text";

/** code, parking on, parking off, HTTP, gRPC, word, body. */
const TABLE: readonly [number, string, string, number, number, string, string][] = [
  [Code.ABORTED, "retry", "retry", 503, 14, "conflict", `actor a1 unavailable: ${SECRET}`],
  [
    Code.RESOURCE_EXHAUSTED,
    "retry",
    "final",
    503,
    14,
    "no_capacity",
    `actor a1 unavailable: ${SECRET}`,
  ],
  [
    Code.FAILED_PRECONDITION,
    "retry",
    "final",
    503,
    14,
    "failed_precondition",
    `actor a1 unavailable: ${SECRET}`,
  ],
  [Code.UNAVAILABLE, "retry", "final", 503, 14, "unavailable", "actor a1 unavailable"],
  [Code.NOT_FOUND, "final", "final", 404, 5, "not_found", "actor a1 not found"],
  [
    Code.DEADLINE_EXCEEDED,
    "final",
    "final",
    504,
    4,
    "deadline_exceeded",
    "actor a1 request timed out",
  ],
  [Code.PERMISSION_DENIED, "final", "final", 403, 7, "permission_denied", "actor a1 access denied"],
  [
    Code.UNAUTHENTICATED,
    "final",
    "final",
    401,
    16,
    "unauthenticated",
    "actor a1 authentication required",
  ],
];
const OTHERS = [
  Code.CANCELLED,
  Code.UNKNOWN,
  Code.INVALID_ARGUMENT,
  Code.ALREADY_EXISTS,
  Code.OUT_OF_RANGE,
  Code.UNIMPLEMENTED,
  Code.INTERNAL,
  Code.DATA_LOSS,
  17,
  99,
  -1,
];

function refusedBy(answer: Answer, parking: boolean): Refused {
  const meaning = classify(answer, "a1", { parking, workerPort: 80 });
  assert(meaning.kind === "refused");
  return meaning;
}

for (const [code, on, off, http, grpc, outcome, body] of TABLE) {
  Deno.test(`classify: status ${code} is ${http} ${outcome}`, () => {
    for (const [parking, expected] of [[true, on], [false, off]] as const) {
      const { retryable, refusal } = refusedBy(status(code, SECRET), parking);
      assertEquals(retryable ? "retry" : "final", expected);
      assertEquals([refusal.httpStatus, refusal.grpcStatus, refusal.outcome, refusal.body], [
        http,
        grpc,
        outcome,
        body,
      ]);
    }
  });
}

Deno.test("classify: every other status is final, 500 and says nothing of the server", () => {
  for (const code of OTHERS) {
    const { retryable, refusal } = refusedBy(status(code, SECRET), true);
    assertEquals(retryable, false);
    assertEquals([refusal.httpStatus, refusal.outcome, refusal.body], [
      500,
      "error",
      "error resuming actor a1",
    ]);
  }
});

Deno.test("classify: a description is one line of at most 256 characters, valid UTF-8", () => {
  const rows: readonly [string, string][] = [
    ["two\r\nlines", "two lines"],
    ["tab\tand \u0000 nul", "tab and   nul"],
    ["x".repeat(300), "x".repeat(256)],
    ["\u{1f600}".repeat(300), "\u{1f600}".repeat(256)],
    ["half \ud800 pair", "half \ufffd pair"],
    ["reversed \u202etxt", "reversed  txt"],
    ["\uffff".repeat(300), "\uffff".repeat(256)],
    ["y".repeat(256), "y".repeat(256)],
    ["\u{1f600}".repeat(256), "\u{1f600}".repeat(256)],
    ["   blanks at the ends \n", "blanks at the ends"],
  ];
  for (const [message, shown] of rows) {
    const { refusal } = refusedBy(status(Code.RESOURCE_EXHAUSTED, message), true);
    assertEquals(refusal.body, `actor a1 unavailable: ${shown}`);
  }
  assertEquals(refusedBy(status(Code.ABORTED, ""), true).refusal.body, "actor a1 unavailable");
});

Deno.test("classify: every state but RUNNING is retried with parking on and final with parking off", () => {
  for (const state of [0, 1, 3, 4, 5, 6, 7, 8, 9, 1000]) {
    const actor = { status: state, workerIp: "10.0.0.1", templateNamespace: "", templateName: "" };
    for (const parking of [true, false]) {
      const { retryable, refusal } = refusedBy({ kind: "ok", actor, resumed: true }, parking);
      assertEquals(retryable, parking);
      assertEquals([refusal.outcome, refusal.body], [
        "failed_precondition",
        "actor a1 unavailable: actor is not running",
      ]);
    }
  }
});

const USABLE: readonly [string, string][] = [
  ["10.0.3.7", "10.0.3.7:8080"],
  ["127.0.0.1", "127.0.0.1:8080"],
  ["255.255.255.254", "255.255.255.254:8080"],
  ["fd00::1", "[fd00::1]:8080"],
  ["2001:DB8:0:0:0:0:0:1", "[2001:DB8:0:0:0:0:0:1]:8080"],
  ["::1", "[::1]:8080"],
  ["::ffff:10.0.0.1", "[::ffff:10.0.0.1]:8080"],
  ["64:ff9b::10.0.0.1", "[64:ff9b::10.0.0.1]:8080"],
  // Next to what is refused.
  ["168.254.0.1", "168.254.0.1:8080"],
  ["169.253.0.1", "169.253.0.1:8080"],
  ["1.0.0.0", "1.0.0.0:8080"],
  ["223.255.255.255", "223.255.255.255:8080"],
  ["240.0.0.1", "240.0.0.1:8080"],
  ["::2", "[::2]:8080"],
  ["1::", "[1::]:8080"],
  ["1::ffff:0:0", "[1::ffff:0:0]:8080"],
  ["::fffe:a9fe:a9fe", "[::fffe:a9fe:a9fe]:8080"],
  ["fe7f::1", "[fe7f::1]:8080"],
  ["fec0::1", "[fec0::1]:8080"],
  ["feff::1", "[feff::1]:8080"],
  // Every shape: all groups, `::` for one group at either end or inside, the longest there is.
  ["1:2:3:4:5:6:7:8", "[1:2:3:4:5:6:7:8]:8080"],
  ["1:2:3:4:5:6:7::", "[1:2:3:4:5:6:7::]:8080"],
  ["::2:3:4:5:6:7:8", "[::2:3:4:5:6:7:8]:8080"],
  ["1:2:3::5:6:7:8", "[1:2:3::5:6:7:8]:8080"],
  ["1:2:3:4:5:6:10.0.0.1", "[1:2:3:4:5:6:10.0.0.1]:8080"],
  [
    "2001:0db8:0000:0000:0000:ffff:255.255.255.254",
    "[2001:0db8:0000:0000:0000:ffff:255.255.255.254]:8080",
  ],
];
const UNUSABLE = [
  "",
  " ",
  "10.0.0.1 ",
  " 10.0.0.1",
  "10.0.0.1\r\n",
  "10.0.0.1:80",
  "worker-1",
  "localhost",
  "10.0.0",
  "10.0.0.1.2",
  "010.0.0.1",
  "10.0.0.256",
  "0x0a.0.0.1",
  "167772161",
  "1e1.0.0.1",
  "10.0.0.-1",
  "0.0.0.0",
  "0.1.2.3",
  "169.254.169.254",
  "224.0.0.1",
  "239.255.255.255",
  "255.255.255.255",
  "::",
  "0:0:0:0:0:0:0:0",
  "ff02::1",
  "fe80::1",
  "febf::1",
  "fe80::1%eth0",
  "fd00::1%1",
  "[fd00::1]",
  "[fd00::1]:80",
  "::ffff:169.254.169.254",
  "::ffff:0.0.0.0",
  "::ffff:a9fe:a9fe",
  "::ffff:224.0.0.1",
  "::ffff:255.255.255.255",
  "::ffff:10.0.0.256",
  "::ffff:10.0.0",
  "::ffff:0.1.2.3",
  "::ffff:239.0.0.1",
  "ff00::",
  "fe80::",
  "1:2:3:4:5:6:7:8::",
  "::1:2:3:4:5:6:7:8",
  "1:2:3:4:5:6:7:10.0.0.1",
  "1:2:3:4:5:10.0.0.1",
  "::00001",
  "1::2::3",
  "1:2:3:4:5:6:7",
  "1:2:3:4:5:6:7:8:9",
  "1:2:3:4:5:6:7::8:9",
  "12345::1",
  "g::1",
  ":::",
  ":1",
  "1:",
  "10.0.0.1::",
  "::10.0.0.1:1",
  "１０.0.0.1",
  "10.0.0.1\0",
  "fd00::1".padEnd(60, "0"),
];

Deno.test("B59: only a literal unicast address becomes a target, IPv6 in brackets", () => {
  for (const [ip, target] of USABLE) {
    const meaning = classify(ok(ip), "a1", { parking: true, workerPort: 8080 });
    assertEquals(meaning.kind === "served" ? meaning.target : meaning, target);
  }
});

Deno.test("B59: anything else is 500 routing failed, never retried, and only shown escaped", () => {
  for (const ip of UNUSABLE) {
    const { retryable, refusal, warning } = refusedBy(ok(ip), true);
    assertEquals([retryable, refusal.httpStatus, refusal.outcome], [false, 500, "error"], ip);
    assertEquals(refusal.body, "actor a1 routing failed");
    assert(warning !== undefined && /^[\x20-\x7e]*$/.test(warning), `unsafe to show: ${ip}`);
  }
  assertEquals(refusedBy(ok("x".repeat(1_000)), true).warning, "x".repeat(64));
});
