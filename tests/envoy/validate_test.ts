// Every combination of the options passes `envoy --mode validate` of the real Envoy.
import { assertEquals } from "@std/assert";
import { envoyBootstrap } from "../../src/envoy/bootstrap.ts";
import {
  ENVOY_DEFAULTS,
  type EnvoyOptions,
  MESSAGE_TIMEOUT_MS_MAX,
} from "../../src/envoy/options.ts";
import { printBootstrap } from "../../src/envoy/print.ts";
import { envoyBinary } from "../support/envoy.ts";
import { writeCertificate } from "../support/certificate.ts";

/** What Envoy says of a configuration; "" = nothing to complain about. */
async function complaint(path: string): Promise<string> {
  const output = await new Deno.Command(await envoyBinary(), {
    args: ["--mode", "validate", "-l", "warning", "-c", path, "--use-dynamic-base-id"],
    stdout: "piped",
    stderr: "piped",
  }).output();
  const text = new TextDecoder();
  const stderr = text.decode(output.stderr).trim();
  if (output.success && stderr === "") return "";
  return stderr || text.decode(output.stdout) || `exit ${output.code}`;
}

function* combinations(certificate: string): Generator<Partial<EnvoyOptions>> {
  for (const routeMode of ["authority", "original-dst"] as const) {
    for (const resetCure of ["guard", "cap", "none"] as const) {
      for (const ads of [false, true]) {
        for (const envoyCertPath of ["", certificate]) {
          for (const otlpCollectorAddress of ["", "127.0.0.1:4317"]) {
            yield { routeMode, resetCure, ads, envoyCertPath, otlpCollectorAddress };
          }
        }
      }
    }
  }
}

const SINGLE: readonly Partial<EnvoyOptions>[] = [
  { listenAddress: "::", extprocAddress: "::", adminAddress: "[::1]:0" },
  { listenAddress: "127.0.0.1", extprocAddress: "localhost", xdsAddress: "router.svc", ads: true },
  { breaker: 2_147_483_647, maxConcurrentStreams: 2_147_483_647 },
  { messageTimeoutMs: MESSAGE_TIMEOUT_MS_MAX, routeTimeoutMs: 86_400_000 },
  { messageTimeoutMs: 5_001, routeTimeoutMs: 0 },
  { adminAddress: "" },
  { workerPort: 65_535, portHttp: 1, portExtproc: 65_535 },
  { nodeId: "y", nodeCluster: "on" },
];

Deno.test("envoy --mode validate accepts every combination without a warning", async () => {
  const dir = await Deno.makeTempDir({ prefix: "atenet-validate-" });
  try {
    const certificate = await writeCertificate(dir, "edge.example");
    let count = 0;
    for (const over of [...combinations(certificate), ...SINGLE]) {
      const bootstrap = envoyBootstrap({ ...ENVOY_DEFAULTS, ...over });
      const format = count++ % 2 === 0 ? "yaml" : "json";
      const path = `${dir}/envoy.${format}`;
      await Deno.writeTextFile(path, printBootstrap(bootstrap, format));
      assertEquals(await complaint(path), "", JSON.stringify(over));
    }
    assertEquals(count, 48 + SINGLE.length);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
