// The xDS listener of the program: named when it is bound, a clear word when it cannot be.
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { LISTENER_TYPE } from "../../src/envoy/ads_types.ts";
import { AdsPeer } from "../support/ads_peer.ts";
import { choosePort, RouterProcess, runProgram } from "../support/router_process.ts";

const FLAGS = [
  "--ateapi-address=127.0.0.1:1",
  "--ateapi-auth=insecure",
  "--envoy-admin-address=",
  "--status-address=127.0.0.1",
];

Deno.test("the ready line names the xDS address, and it serves, on both transports", async () => {
  for (const transport of ["native", "grpc-js"]) {
    await using router = await RouterProcess.start([...FLAGS, `--grpc-transport=${transport}`]);
    const ready = router.log().find(({ msg }) => msg === "ready");
    assertMatch(String(ready?.["xds"]), /^127\.0\.0\.1:\d+$/);
    await using peer = await AdsPeer.dial(Number(String(ready?.["xds"]).split(":")[1]), "e9");
    peer.ask(LISTENER_TYPE);
    const { versionInfo } = await peer.response(LISTENER_TYPE);
    const { envoy } = await router.status();
    assertEquals(envoy.config, [{
      envoy: "e9",
      type: "Listener",
      version: versionInfo,
      state: "sent",
      error: null,
      in_use: null,
    }]);
  }
});

Deno.test("an xDS address that is taken stops the start with its name, exit 1", async () => {
  using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const address = `127.0.0.1:${taken.addr.port}`;
  const { code, stdout } = await runProgram([
    "serve",
    ...FLAGS,
    `--port-xds=${taken.addr.port}`,
    "--port-extproc=0",
    `--status-port=${choosePort()}`,
    "--metrics-listen-addr=",
  ]);
  assertEquals(code, 1);
  assertStringIncludes(stdout, "cannot start");
  assertStringIncludes(stdout, address);
});
