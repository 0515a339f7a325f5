// The last requests, as the status page shows them: nothing that a log line would hide.
import { assert, assertEquals } from "@std/assert";
import { buildSnapshot } from "../../src/admin/build_snapshot.ts";
import { statuszPage } from "../../src/admin/statusz.ts";
import { RecentRequests } from "../../src/telemetry/recent.ts";
import { requestLine } from "../../src/telemetry/request_line.ts";
import { sources } from "../admin/_sources.ts";
import { collectingLog, denied, record, routed } from "./_records.ts";

const JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJTMSJ9.c2lnbmF0dXJlUzE";

/** Path as sent -> as shown. */
const PATHS: readonly (readonly [string, string])[] = [
  ["/plain/path", "/plain/path"],
  [`/verify/${JWT}`, "/verify/***"],
  ["/p;token=S1/rest", "/p;token=***"],
  ["/p%3Ftoken=S1", "/p%3Ftoken=***"],
  ["/p;session=S1&a=b", "/p;session=***&a=b"],
  ["/p?token=S1", "/p"],
  ["/p#access_token=S1", "/p"],
  ["/go/https://me:S1@host/x", "/go/https://***@host/x"],
];

Deno.test("B54: secrets in paths are hidden, and the rest is as it was", () => {
  for (const [sent, shown] of PATHS) {
    const recent = new RecentRequests();
    const request = record(routed(), { path: sent });
    recent.request(request);
    assertEquals(recent.list(), [{ ...request, path: shown }]);
  }
});

Deno.test("B54: secrets in hosts that name no actor are hidden", () => {
  const recent = new RecentRequests();
  for (const host of [`${JWT}.example`, "x;token=S1", "https://me:S1@host"]) {
    recent.request(record(denied({ outcome: "invalid_host" }), { actor: undefined, host }));
  }
  assertEquals(recent.list().map(({ host }) => host), [
    "https://***@host",
    "x;token=***",
    "***.example",
  ]);
});

Deno.test("B54: what the log hides, the status page and its document hide too", () => {
  const recent = new RecentRequests();
  const { log, lines } = collectingLog();
  for (const [path] of PATHS) {
    const request = record(denied(), { path, actor: undefined, host: `${JWT}:80` });
    recent.request(request);
    const { msg, fields } = requestLine(request);
    log.info(msg, fields);
  }
  const snapshot = buildSnapshot(sources({ recent: () => recent.list() }));
  const secrets = /S1|eyJ|c2lnbmF0dXJlUzE/;
  assert(lines.length === PATHS.length && !secrets.test(lines.join()), lines.join());
  assertEquals(snapshot.queries.length, PATHS.length);
  assert(!secrets.test(JSON.stringify(snapshot)));
  assert(!secrets.test(statuszPage.render(snapshot, undefined)));
});
