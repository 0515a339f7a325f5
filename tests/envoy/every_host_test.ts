// The listeners of a router with IPv6 on the real Envoy: one socket takes both kinds of clients.
import { assertEquals } from "@std/assert";
import { startEnvoy } from "../support/envoy.ts";
import { HttpConnection } from "../support/http.ts";

/** Has this machine IPv6? */
function hasIpv6(): boolean {
  try {
    Deno.listen({ hostname: "::1", port: 0 }).close();
    return true;
  } catch {
    console.error("this machine has no IPv6: Envoy on :: is not tried");
    return false;
  }
}

Deno.test({
  name: "Envoy on :: is reached over IPv6 and over IPv4",
  ignore: !hasIpv6(),
  fn: async () => {
    await using envoy = await startEnvoy({ listenAddress: "::", messageTimeoutMs: 200 });
    for (const hostname of ["::1", "127.0.0.1"]) {
      using connection = await HttpConnection.open(envoy.httpPort, hostname);
      // Nobody answers for the router: that Envoy says so is what matters.
      const { status } = await connection.request({ host: "a" });
      assertEquals(Math.floor(status / 100), 5, hostname);
    }
  },
});

Deno.test("Envoy on 0.0.0.0 is reached over IPv4", async () => {
  await using envoy = await startEnvoy({ listenAddress: "0.0.0.0", messageTimeoutMs: 200 });
  using connection = await HttpConnection.open(envoy.httpPort);
  assertEquals(Math.floor((await connection.request({ host: "a" })).status / 100), 5);
});
