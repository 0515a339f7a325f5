// gRPC health on the ext_proc port of the real program, for probes that speak gRPC: SERVING while
// requests are answered, in a shutdown too, until the router tells its Envoys to go.
import { assertEquals } from "@std/assert";
import { GrpcPeer } from "../support/grpc_peer.ts";
import { startPeerStack } from "../support/peer_stack.ts";
import { TRANSPORTS } from "../support/stack.ts";

const CHECK = "/grpc.health.v1.Health/Check";
const WATCH = "/grpc.health.v1.Health/Watch";
const SERVING = [8, 1];
const NOT_SERVING = [8, 2];
const WHOLE_SERVER = new Uint8Array();

/** HealthCheckRequest of a service. */
function service(name: string): Uint8Array {
  return Uint8Array.from([10, name.length, ...new TextEncoder().encode(name)]);
}

async function check(peer: GrpcPeer, request: Uint8Array): Promise<[number[][], number?]> {
  const stream = peer.open(CHECK);
  stream.send(request);
  stream.halfClose();
  const status = await stream.status();
  const answers = stream.heard.messages.map((bytes) => [...bytes]);
  return status === undefined ? [answers] : [answers, status.code];
}

for (const transport of TRANSPORTS) {
  Deno.test(`${transport}: gRPC health says SERVING until the end of a shutdown`, async () => {
    const flags = { "grpc-transport": transport, "drain-delay": "0s", "drain-timeout": "60s" };
    await using stack = await startPeerStack({ flags });
    stack.script("slow", { kind: "ok", resumed: true, delayMs: 2_000 });
    await using peer = new GrpcPeer(stack.router.extprocPort);
    assertEquals(await check(peer, WHOLE_SERVER), [[SERVING], 0]);
    const name = "envoy.service.ext_proc.v3.ExternalProcessor";
    assertEquals(await check(peer, service(name)), [[SERVING], 0]);
    assertEquals(await check(peer, service("nobody")), [[], 5]);
    const watch = peer.open(WATCH);
    watch.send(WHOLE_SERVER);
    assertEquals([...await watch.message(1)], SERVING);
    const slow = stack.open("slow");
    await stack.router.statusWhen("it waits", ({ engine }) => engine.callers === 1);
    stack.router.signal("SIGTERM");
    await stack.inStep("ext_proc");
    assertEquals(await check(peer, WHOLE_SERVER), [[SERVING], 0], "it still answers requests");
    assertEquals((await slow.next())?.response.case, "requestHeaders");
    slow.reset();
    assertEquals([...await watch.message(2)], NOT_SERVING);
    assertEquals(await stack.router.exit, 0);
    assertEquals(watch.heard.messages.length, 2);
  });
}
