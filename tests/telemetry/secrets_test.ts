// Nothing that a client or the control plane sends as a secret leaves the process by any of the ways
// an operator reads.
import { assert, assertEquals } from "@std/assert";
import type { FakeReply } from "../support/fake_reply.ts";
import { until } from "../support/until.ts";
import { otlpReceiver } from "./_otlp.ts";
import { DOMAIN, Program } from "./_program.ts";

/** S1 query, S2 authorization, S3 cookie, S4 status message, S5 userinfo, S6 details. */
const SECRET = /S[1-6]x/;

const DETAILS = btoa("S6x");

/** A status with a secret in its message and in its details. */
function secretReply(code: number): FakeReply {
  return { kind: "status", code, message: "S4x", details: DETAILS };
}

Deno.test("B54: no secret in logs at debug, pages, metrics, spans or answers", async () => {
  await using receiver = otlpReceiver();
  await using program = await Program.start({
    flags: { "log-level": "debug" },
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_METRIC_EXPORT_INTERVAL: "300" },
  });
  program.plane.script("demo/a", { reply: secretReply(13) });
  program.plane.script("demo/b", { reply: secretReply(7) });
  program.plane.script("demo/c", { reply: secretReply(14) });
  const secrets = {
    ":path": "/p?token=S1x#S1x",
    authorization: "Bearer S2x",
    cookie: "session=S3x",
    "x-api-key": "S2x",
  };
  const bodies: string[] = [];
  const hosts = [
    `user:S5x@a.demo.${DOMAIN}`,
    `S5x@evil`,
    ...["a", "b", "c"].map((id) => `${id}.demo.${DOMAIN}`),
  ];
  for (const host of hosts) {
    const { reply } = await program.peer.ask(
      Object.entries({ ...secrets, ":authority": host }),
      { authorization: "Bearer S2x" },
    );
    bodies.push(
      JSON.stringify(
        reply,
        (_key, value) =>
          value instanceof Uint8Array
            ? new TextDecoder().decode(value)
            : typeof value === "bigint"
            ? Number(value)
            : value,
      ),
    );
  }
  assertEquals(bodies.length, 5);
  await until(
    "spans of all requests",
    () => receiver.spans.filter((span) => span.name === "atenet.request").length >= 5,
    20_000,
  );
  await until("metrics of all requests", () => receiver.exports.length > 0);
  const shown: [string, string][] = [
    ["answers", bodies.join("\n")],
    ["HTML", await program.read("/statusz")],
    ["JSON", await program.read("/statusz?format=json")],
    ["metrics", await program.pageText()],
    ["exports", receiver.bodies.map((body) => new TextDecoder().decode(body)).join("\n")],
  ];
  program.signal("SIGTERM");
  await program.exit;
  shown.push(["log", program.everything()]);
  for (const [where, text] of shown) {
    assert(text.length > 100, where);
    assert(!SECRET.test(text), `${where}: ${SECRET.exec(text)?.[0]} in ${text.slice(0, 2_000)}`);
    assert(!text.includes(DETAILS), where);
  }
  assert(program.log().some((line) => line.level === "debug"), "the log was at debug");
});
