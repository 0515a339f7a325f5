// Hosts as clients write them, through the real Envoy: one flight per actor however it is spelt, 404
// and no call for everything that names no actor.
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { HttpConnection, httpRequest } from "../support/http.ts";
import { ACTOR_DOMAIN, hostOf, startStack } from "../support/stack.ts";

const LABEL_63 = "a".repeat(63);

const SAME_ACTOR = [
  hostOf("a1"),
  hostOf("A1", "DEMO").toUpperCase(),
  `${hostOf("a1")}.`,
  `${hostOf("a1")}:80`,
  `${hostOf("a1")}:8443`,
  `${hostOf("a1")}.:65535`,
];

/** Reach the router and are refused by it. */
const INVALID = [
  "",
  "localhost",
  "127.0.0.1:80",
  "[::1]:80",
  ACTOR_DOMAIN,
  `a1.${ACTOR_DOMAIN}`,
  `x.a1.demo.${ACTOR_DOMAIN}`,
  hostOf("a1", ""),
  hostOf("", "demo"),
  hostOf("-a"),
  hostOf("a-"),
  hostOf("a_b"),
  hostOf(`${LABEL_63}a`),
  `${hostOf("a1")}..`,
  `${hostOf("a1")}:0`,
  `${hostOf("a1")}:65536`,
  `${hostOf("a1")}:x`,
  `${hostOf("a1")}.evil.example`,
  `a1.demo.${ACTOR_DOMAIN}evil`,
  `a1.demo.x${ACTOR_DOMAIN}`,
  `user@${hostOf("a1")}`,
  `user:S5@${hostOf("a1")}`,
  "x:y:z",
  "%00",
  `${"a".repeat(300)}.demo.${ACTOR_DOMAIN}`,
];

Deno.test("B58: spellings of one actor share one flight, the rest is 404 without a call", async () => {
  await using stack = await startStack();
  stack.script("a1", { kind: "ok", resumed: true, delayMs: 1_000 });
  const port = stack.envoy.httpPort;
  const same = await Promise.all(SAME_ACTOR.map((host) => httpRequest(port, { host })));
  assertEquals(same.map(({ status }) => status), SAME_ACTOR.map(() => 200));
  assertEquals(stack.simulator.calls.counts().total, 1);
  for (const host of INVALID) {
    const reply = await httpRequest(port, { host });
    // Envoy itself refuses what cannot be an authority at all.
    if (reply.status === 400) continue;
    assertEquals(reply.status, 404, `${JSON.stringify(host)}: ${reply.body}`);
    assertStringIncludes(reply.body, "invalid host ");
    assertMatch(reply.body, /^[\x20-\x7e]*$/);
    assertEquals(/user[:@]|S5/.test(reply.body), false, reply.body);
  }
  assertEquals(stack.simulator.calls.counts().total, 1);
  const said = JSON.stringify([stack.router.log(), await stack.router.status()]);
  assertEquals(said.includes("S5"), false);
  assertEquals(JSON.stringify(stack.envoy.accessLog()).includes("S5"), false);
});

Deno.test("the longest label is fine", async () => {
  await using stack = await startStack();
  stack.script(LABEL_63, { kind: "ok" });
  assertEquals((await stack.ask(LABEL_63)).status, 200);
});

const RAW: readonly [name: string, head: string][] = [
  ["no host at all", "GET / HTTP/1.1\r\n\r\n"],
  ["a tab in the host", "GET / HTTP/1.1\r\nhost: a\tb\r\n\r\n"],
  ["two hosts", `GET / HTTP/1.1\r\nhost: ${hostOf("a1")}\r\nhost: evil\r\n\r\n`],
  ["an absolute target", `GET http://127.0.0.1:1/ HTTP/1.1\r\nhost: ${hostOf("a1")}\r\n\r\n`],
  ["HTTP/1.0 without a host", "GET / HTTP/1.0\r\n\r\n"],
];

Deno.test("odd heads are refused by Envoy or by the router, no actor is asked for", async () => {
  await using stack = await startStack();
  for (const [name, head] of RAW) {
    using connection = await HttpConnection.open(stack.envoy.httpPort);
    await connection.send(new TextEncoder().encode(head));
    const reply = await connection.read();
    assertEquals([400, 404, 426].includes(reply.status), true, `${name}: ${reply.status}`);
  }
  assertEquals(stack.simulator.calls.counts().total, 0);
});
