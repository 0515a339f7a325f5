// The transports of the binary: native works on every runtime, also with TLS on both sides; grpc-js
// works or is refused by name.
import { assertEquals, assertStringIncludes } from "@std/assert";
import { grpcJsProblem } from "../../src/app/grpcjs_support.ts";
import { createAuthority } from "../support/certs.ts";
import { FakeControlPlane } from "../support/fake_control_plane.ts";
import { ExtProcPeer } from "../support/ext_proc_peer.ts";
import { statusOf } from "../support/peer_stack.ts";
import { RouterProcess, runProgram } from "../support/router_process.ts";
import { hostOf } from "../support/stack.ts";
import { binaryTest } from "./_binary.ts";
import { ContainerRoot, rootTest } from "./_root.ts";

const QUIET = ["--envoy-admin-address=", "--drain-delay=0s", "--status-address=127.0.0.1"];

binaryTest("grpc-js in the binary works, or ends the start with 1 and says why", async (
  { path, runtime },
) => {
  await using plane = await FakeControlPlane.start();
  const flags = [
    ...["--ateapi-auth=insecure", `--ateapi-address=${plane.address}`],
    ...QUIET,
    "--grpc-transport=grpc-js",
  ];
  const problem = grpcJsProblem(runtime);
  if (problem === undefined) {
    await using router = await RouterProcess.start(flags, 0, {}, path);
    await using peer = await ExtProcPeer.connect(router.extprocPort);
    assertEquals(statusOf(await peer.ask([[":authority", hostOf("a")]])), 200);
    return;
  }
  const { code, stdout } = await runProgram(["serve", "--port-extproc=0", ...flags], path);
  assertEquals(code, 1, stdout);
  assertStringIncludes(stdout, `"msg":"cannot start","error":${JSON.stringify(problem)}`);
  assertEquals(plane.accepted, 0);
});

rootTest(
  "mTLS from a bare root: client certificate, another server name than the address",
  async (
    { path },
  ) => {
    const authority = await createAuthority();
    const server = await authority.issue({ name: "server", dns: ["ateapi.internal"] });
    const client = await authority.issue({ name: "router-7" });
    await using plane = await FakeControlPlane.start({
      tls: { ...server, clientCa: authority.ca },
    });
    await using root = await ContainerRoot.make(path, {
      "etc/router/ca.pem": authority.ca,
      "etc/router/both.pem": client.cert + client.key,
    });
    const flags = [
      ...["--ateapi-auth=mtls", `--ateapi-address=${plane.address}`],
      ...["--ateapi-ca-file=/etc/router/ca.pem", "--ateapi-client-cert=/etc/router/both.pem"],
      ...["--ateapi-server-name=ateapi.internal", ...QUIET],
    ];
    await using router = await RouterProcess.start(flags, 0, {}, await root.command());
    await using peer = await ExtProcPeer.connect(router.extprocPort);
    assertEquals(statusOf(await peer.ask([[":authority", hostOf("a")]])), 200);
    assertEquals(plane.of("demo/a").map(({ client }) => client), ["router-7"]);
    router.signal("SIGTERM");
    assertEquals(await router.exit, 0);
  },
);

rootTest("a token file is read from a bare root, by the user of the container", async (
  { path },
) => {
  const authority = await createAuthority();
  const server = await authority.issue({ name: "server", ips: ["127.0.0.1"] });
  await using plane = await FakeControlPlane.start({ tls: server });
  await using root = await ContainerRoot.make(path, {
    "etc/router/ca.pem": authority.ca,
    "var/token": "secret-token\n",
  });
  const flags = [
    ...["--ateapi-auth=jwt", `--ateapi-address=${plane.address}`],
    ...["--ateapi-ca-file=/etc/router/ca.pem", "--ateapi-token-file=/var/token", ...QUIET],
  ];
  await using router = await RouterProcess.start(flags, 0, {}, await root.command());
  await using peer = await ExtProcPeer.connect(router.extprocPort);
  assertEquals(statusOf(await peer.ask([[":authority", hostOf("a")]])), 200);
  const tokens = plane.of("demo/a").map(({ headers }) => headers["authorization"]);
  assertEquals(tokens, ["Bearer secret-token"]);
});
