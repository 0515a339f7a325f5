// Clients that offer another protocol in a plain request, real Envoy: an offer of TLS or of HTTP/2 is
// ignored and the request answered; what nobody here can speak is refused.
import { assertEquals } from "@std/assert";
import type { Bootstrap } from "../../src/envoy/types.ts";
import { EchoWorker } from "../support/echo.ts";
import { type EnvoyTestOptions, startEnvoy } from "../support/envoy.ts";
import { routedTo } from "../support/ext_proc_messages.ts";
import { ScriptedExtProc } from "../support/ext_proc_script.ts";
import { httpRequest } from "../support/http.ts";
import { bootstrapOf, managerOf } from "./_tree.ts";

const HOST = "a1.demo.actors.resources.substrate.ate.dev";
const FIELD = "ignore_http_11_upgrade";

/** [what is offered, status]. */
const ROWS: readonly (readonly [offer: string, status: number])[] = [
  ["TLS/1.2", 200],
  ["TLS/1.3, TLS/1.2, TLS/1.1", 200],
  ["tls/1.0", 200],
  ["h2c", 200],
  ["TLS", 403],
  ["IRC/6.9", 403],
];

/** What each offer is answered, and the names of headers that the worker saw of it. */
async function answers(options: EnvoyTestOptions, offers: readonly string[]) {
  await using worker = new EchoWorker();
  await using extproc = await ScriptedExtProc.start((asked) =>
    asked.reply(routedTo(`127.0.0.1:${worker.port}`))
  );
  await using envoy = await startEnvoy({
    ...options,
    portExtproc: extproc.port,
    workerPort: worker.port,
  });
  const statuses: number[] = [];
  for (const offer of offers) {
    const headers = {
      connection: offer === "h2c" ? "Upgrade, HTTP2-Settings" : "Upgrade",
      upgrade: offer,
      "http2-settings": "AAMAAABkAAQAAP__",
    };
    statuses.push((await httpRequest(envoy.httpPort, { host: HOST, headers })).status);
  }
  const seen = worker.seen.map(({ headers }) =>
    ["upgrade", "connection"].filter((name) => name in headers)
  );
  return { statuses, seen };
}

Deno.test("an offer of TLS or HTTP/2 is ignored, any other upgrade refused", async () => {
  const { statuses, seen } = await answers({}, ROWS.map(([offer]) => offer));
  assertEquals(statuses, ROWS.map(([, status]) => status));
  assertEquals(seen, ROWS.filter(([, status]) => status === 200).map(() => []));
});

Deno.test("without the field Envoy answers 403 to an offer of TLS", async () => {
  const edit = (bootstrap: Bootstrap): Bootstrap =>
    JSON.parse(JSON.stringify(bootstrap, (name, value) => name === FIELD ? undefined : value));
  assertEquals(await answers({ edit }, ["TLS/1.2"]), { statuses: [403], seen: [] });
});

Deno.test("both listeners ignore an offer of TLS", () => {
  const bootstrap = bootstrapOf({ envoyCertPath: "/run/certs/" });
  for (const listener of ["atenet_http", "atenet_https"]) {
    const field = managerOf(bootstrap, listener).at(`http_protocol_options/${FIELD}`);
    assertEquals(field.value, [{ prefix: "TLS/", ignore_case: true }], listener);
  }
});
