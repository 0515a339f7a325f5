// What is served over ADS works on the real Envoy. Here it comes from files instead of a stream: the
// resources and the way Envoy treats them are the same.
import { assertEquals, assertStringIncludes } from "@std/assert";
import { adsResources } from "../../src/envoy/ads_resources.ts";
import { ENVOY_DEFAULTS, type EnvoyOptions } from "../../src/envoy/options.ts";
import type { Bootstrap, Json } from "../../src/envoy/types.ts";
import { writeCertificate } from "../support/certificate.ts";
import { EchoWorker } from "../support/echo.ts";
import { type EnvoyUnderTest, startEnvoy } from "../support/envoy.ts";
import { routedTo } from "../support/ext_proc_messages.ts";
import { ScriptedExtProc } from "../support/ext_proc_script.ts";
import { HttpConnection, httpRequest } from "../support/http.ts";
import { until } from "../support/until.ts";

const HOST = "a1.demo.actors.resources.substrate.ate.dev";
const TYPES = {
  lds: "envoy.config.listener.v3.Listener",
  rds: "envoy.config.route.v3.RouteConfiguration",
  sds: "envoy.extensions.transport_sockets.tls.v3.Secret",
};

/** Every `{ads: {}}` inside `value` becomes the file. */
function fromFile(value: unknown, path: string): unknown {
  return JSON.parse(
    JSON.stringify(value),
    (_, inner) =>
      inner?.ads === undefined
        ? inner
        : { path_config_source: { path }, initial_fetch_timeout: "5s", resource_api_version: "V3" },
  );
}

/** The resource files in `dir`, and a bootstrap that reads them. */
async function writeFiles(dir: string, options: EnvoyOptions) {
  const { listeners, routes, secrets } = adsResources(options);
  const write = async (kind: keyof typeof TYPES, resources: readonly unknown[]) => {
    const typed = resources.map((one) => ({
      "@type": `type.googleapis.com/${TYPES[kind]}`,
      ...one as Record<string, Json>,
    }));
    await Deno.writeTextFile(`${dir}/${kind}.json`, JSON.stringify({ resources: typed }));
  };
  const asked = listeners.map((listener) => {
    const [chain] = listener.filter_chains;
    const { transport_socket, filters } = chain!;
    return {
      ...listener,
      filter_chains: [{
        filters: fromFile(filters, `${dir}/rds.json`),
        ...(transport_socket === undefined
          ? {}
          : { transport_socket: fromFile(transport_socket, `${dir}/sds.json`) }),
      }],
    };
  });
  await write("lds", asked);
  await write("rds", routes);
  await write("sds", secrets);
  return (bootstrap: Bootstrap): Bootstrap => {
    const { lds_config } = bootstrap.dynamic_resources ?? {};
    const dynamic_resources = { lds_config: fromFile(lds_config, `${dir}/lds.json`) as Json };
    return { ...bootstrap, dynamic_resources };
  };
}

/** Subject of the certificate that Envoy shows on its HTTPS port. */
async function shownSubject(envoy: EnvoyUnderTest): Promise<string> {
  const script = 'openssl s_client -connect "127.0.0.1:$0" </dev/null 2>/dev/null | ' +
    "openssl x509 -noout -subject";
  const { stdout } = await new Deno.Command("sh", {
    args: ["-c", script, String(envoy.httpsPort)],
    stdout: "piped",
    stderr: "null",
  }).output();
  return new TextDecoder().decode(stdout);
}

Deno.test("listeners, routes and a rotated certificate from xDS", async (t) => {
  const dir = await Deno.makeTempDir({ prefix: "atenet-ads-" });
  await using worker = new EchoWorker();
  await using extproc = await ScriptedExtProc.start((asked) =>
    asked.reply(routedTo(`127.0.0.1:${worker.port}`))
  );
  const options: EnvoyOptions = {
    ...ENVOY_DEFAULTS,
    ads: true,
    listenAddress: "127.0.0.1",
    portHttp: 0,
    portHttps: 0,
    portExtproc: extproc.port,
    workerPort: worker.port,
    envoyCertPath: await writeCertificate(dir, "first.example"),
  };
  const edit = await writeFiles(dir, options);
  await using envoy = await startEnvoy({ ...options, adminAddress: "127.0.0.1:0", edit });

  await t.step("HTTP is forwarded", async () => {
    const reply = await httpRequest(envoy.httpPort, { host: HOST });
    assertEquals(reply.status, 200, reply.body);
  });

  await t.step("HTTPS shows the certificate, also after it was replaced", async () => {
    assertStringIncludes(await shownSubject(envoy), "first.example");
    using kept = await HttpConnection.open(envoy.httpPort);
    await kept.request({ host: HOST });
    const fresh = await Deno.makeTempDir({ dir });
    await Deno.rename(await writeCertificate(fresh, "second.example"), options.envoyCertPath);
    await until(
      "the new certificate",
      async () => (await shownSubject(envoy)).includes("second.example"),
    );
    assertEquals((await kept.request({ host: HOST })).status, 200, "connections are kept");
  });
  await Deno.remove(dir, { recursive: true });
});

Deno.test("a snapshot depends on the options only and has no secret without a certificate", () => {
  const bare = adsResources(ENVOY_DEFAULTS);
  assertEquals(bare, adsResources({ ...ENVOY_DEFAULTS, ads: true }));
  assertEquals([bare.listeners.length, bare.routes.length, bare.secrets.length], [1, 1, 0]);
  const tls = adsResources({ ...ENVOY_DEFAULTS, envoyCertPath: "/run/certs/" });
  assertEquals([tls.listeners.length, tls.routes.length, tls.secrets.length], [2, 1, 1]);
  const said = JSON.stringify(tls.listeners);
  assertStringIncludes(said, `"route_config_name":"${tls.routes[0]?.name}"`);
  assertStringIncludes(said, `{"name":"${tls.secrets[0]?.name}","sds_config":{"ads":{}`);
});
