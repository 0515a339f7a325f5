import { assertEquals, assertStringIncludes } from "@std/assert";
import { parse } from "yaml";
import { call, headlines } from "./fake_io.ts";

/** Values of a key anywhere in a document. */
function all(document: unknown, key: string): unknown[] {
  if (Array.isArray(document)) return document.flatMap((item) => all(item, key));
  if (document === null || typeof document !== "object") return [];
  return Object.entries(document).flatMap(([name, value]) =>
    name === key ? [value] : all(value, key)
  );
}

Deno.test("envoy prints a bootstrap without being asked for a control plane", async () => {
  const { code, stdout, stderr, starts } = await call(["envoy"]);
  assertEquals([code, stderr, starts.length], [0, "", 0]);
  const document = parse(stdout);
  assertEquals(all(document, "message_timeout"), ["10s"]);
});

Deno.test("envoy --format json holds the same as YAML", async () => {
  const yaml = await call(["envoy", "--parked-request-budget=30s"]);
  const json = await call(["envoy", "--parked-request-budget=30s", "--format", "json"]);
  assertEquals([yaml.code, json.code], [0, 0]);
  assertEquals(JSON.parse(json.stdout), parse(yaml.stdout));
});

Deno.test("B42: the printed message_timeout is the budget and five seconds", async () => {
  const rows: readonly [budget: string, timeout: string][] = [
    ["4s", "9s"],
    ["30s", "35s"],
    ["1500ms", "6.5s"],
  ];
  for (const [budget, timeout] of rows) {
    const { stdout } = await call(["envoy", `--parked-request-budget=${budget}`]);
    assertEquals(all(parse(stdout), "message_timeout"), [timeout]);
  }
});

Deno.test("B43: the printed breaker fits the lot, pending and retries too", async () => {
  const { stdout } = await call(["envoy", "--parked-request-max=1500"]);
  const cluster = parse(stdout).static_resources.clusters
    .find(({ name }: { name: string }) => /extproc/.test(name));
  const [threshold] = all(cluster, "thresholds")[0] as Record<string, unknown>[];
  assertEquals(threshold?.max_requests, 3000);
  assertEquals(threshold?.max_pending_requests, 3000);
  assertEquals(threshold?.max_retries, 3000);
});

Deno.test("envoy takes the cure for stream resets", async () => {
  const printed = async (cure: string) => (await call(["envoy", `--reset-cure=${cure}`])).stdout;
  assertStringIncludes(await printed("guard"), "ext_proc_graceful_grpc_close");
  assertStringIncludes(await printed("cap"), "max_requests_per_connection: 900");
  const none = await printed("none");
  assertEquals(/graceful_grpc_close|max_requests_per_connection: 900/.test(none), false);
  assertEquals((await call(["envoy", "--reset-cure=all"])).code, 2);
});

Deno.test("envoy --ads leaves listeners, routes and certificate to the router", async () => {
  const flags = [
    ...["--xds-address=::", "--port-xds=18001", "--port-https=444", "--envoy-cert-path=/c/"],
    ...["--otlp-collector-address=collector:4317", "--format=json"],
  ];
  const document = JSON.parse((await call(["envoy", "--ads", ...flags])).stdout);
  assertEquals(Object.keys(document.static_resources), ["clusters"]);
  const clusters = document.static_resources.clusters as { name: string }[];
  const xds = clusters.find(({ name }) => name === "atenet_xds");
  assertEquals(all(xds, "socket_address"), [{ address: "::1", port_value: 18001 }]);
  const [ads] = all(document.dynamic_resources, "ads_config") as Record<string, unknown>[];
  assertEquals(ads?.["set_node_on_first_message_only"], true);
  assertEquals(all(ads, "cluster_name"), ["atenet_xds"]);
  assertEquals(all(document.dynamic_resources, "initial_fetch_timeout"), ["0s"]);
  const whole = JSON.parse((await call(["envoy", "--ads=false", ...flags])).stdout);
  assertEquals(all(whole.static_resources.listeners, "port_value"), [8080, 444]);
  assertEquals(all(whole, "dynamic_resources"), []);
});

Deno.test("envoy prints no port that only the system knows", async () => {
  const rows: readonly [args: string[], flags: string[]][] = [
    [["--port-extproc=0"], ["--port-extproc=0"]],
    [["--port-xds=0"], []],
    [["--ads", "--port-xds=0", "--port-extproc=0"], ["--port-extproc=0", "--port-xds=0"]],
    [["--ads", "--port-http=0"], []],
  ];
  for (const [args, flags] of rows) {
    const { code, stderr } = await call(["envoy", ...args]);
    const expected = flags.map((flag) =>
      `${flag} (command line) lets the system choose a port when serve starts`
    );
    assertEquals([code, headlines(stderr)], [flags.length === 0 ? 0 : 2, expected], `${args}`);
  }
});

Deno.test("envoy prints nothing when a rule is broken, exit 2", async () => {
  const { code, stdout, stderr } = await call([
    "envoy",
    "--extproc-max-requests=5",
    "--port-http=x",
  ]);
  assertEquals([code, stdout], [2, ""]);
  assertEquals(headlines(stderr).length, 2);
  assertStringIncludes(stderr, "2 errors, 0 warnings: nothing printed");
});
