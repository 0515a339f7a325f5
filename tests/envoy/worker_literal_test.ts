// Worker addresses are literal: a real Envoy takes one of either family for what it is, at the first
// try, and asks no DNS server.
import { assertEquals } from "@std/assert";
import { createSocket } from "node:dgram";
import type { Bootstrap } from "../../src/envoy/types.ts";
import { EchoWorker } from "../support/echo.ts";
import { startEnvoy } from "../support/envoy.ts";
import { routedTo } from "../support/ext_proc_messages.ts";
import { ScriptedExtProc } from "../support/ext_proc_script.ts";
import { httpRequest } from "../support/http.ts";

const HOST = "a1.demo.actors.resources.substrate.ate.dev";

/** A DNS server that only counts what it is asked. */
async function startDns(): Promise<AsyncDisposable & { port: number; asked: number }> {
  const socket = createSocket("udp4");
  const dns = {
    port: 0,
    asked: 0,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => socket.close(() => resolve())),
  };
  socket.on("message", () => dns.asked++);
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", () => resolve()));
  dns.port = socket.address().port;
  return dns;
}

/** The DNS server that Envoy's cache would ask. */
function askingAt(port: number): (bootstrap: Bootstrap) => Bootstrap {
  const type = "envoy.extensions.network.dns_resolver.cares.v3.CaresDnsResolverConfig";
  const resolver = {
    name: "envoy.network.dns_resolver.cares",
    typed_config: {
      "@type": `type.googleapis.com/${type}`,
      resolvers: [{ socket_address: { address: "127.0.0.1", port_value: port } }],
    },
  };
  const put = (name: string, value: unknown) =>
    name === "dns_cache_config"
      ? { ...value as object, typed_dns_resolver_config: resolver }
      : value;
  return (bootstrap) => JSON.parse(JSON.stringify(bootstrap, put));
}

/** What became of one request, and of the look-up of its worker. */
async function lookup(target: string, workerPort: number) {
  await using dns = await startDns();
  await using extproc = await ScriptedExtProc.start((asked) => asked.reply(routedTo(target)));
  const edit = askingAt(dns.port);
  await using envoy = await startEnvoy({ portExtproc: extproc.port, workerPort, edit });
  const { status, body } = await httpRequest(envoy.httpPort, { host: HOST });
  return {
    status,
    body,
    asked: dns.asked,
    tries: await envoy.stat("dns.cares.resolve_total"),
    failed: await envoy.stat("dns_cache.atenet_workers.dns_query_failure"),
  };
}

for (const ip of ["127.0.0.1", "::1"]) {
  Deno.test(`the worker at ${ip} is taken at its word`, async () => {
    await using worker = new EchoWorker(ip);
    const target = ip === "::1" ? `[::1]:${worker.port}` : `${ip}:${worker.port}`;
    const { body, ...seen } = await lookup(target, worker.port);
    assertEquals(seen, { status: 200, asked: 0, tries: 1, failed: 0 });
    assertEquals(JSON.parse(body).headers.host, target);
  });
}
