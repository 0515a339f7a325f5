// TLS options of a dial: which name is verified, and how.
import * as grpc from "@grpc/grpc-js";
import { assert, assertEquals } from "@std/assert";
import { channelOf } from "../../src/grpcjs/credentials.ts";
import { createAuthority } from "../support/certs.ts";

const OVERRIDE = "grpc.ssl_target_name_override";

Deno.test("a name is verified as one, an address never sent as one, plaintext needs none", async () => {
  const { ca } = await createAuthority();
  const nameFor = (serverName: string) =>
    channelOf({ serverName, caCerts: [ca] }).options[OVERRIDE];
  assertEquals(nameFor("api.test"), "api.test");
  assertEquals(nameFor("10.0.0.1"), "ip.invalid");
  assertEquals(nameFor("fd00::1"), "ip.invalid");
  assertEquals(channelOf(undefined).options, {});
});

Deno.test("several authorities, and a client certificate with its key", async () => {
  const [one, two] = await Promise.all([createAuthority(), createAuthority()]);
  const { cert, key } = await one.issue({ name: "router" });
  const caCerts = [one.ca, two.ca];
  const { credentials } = channelOf({ serverName: "api.test", caCerts, cert, key });
  assert(credentials instanceof grpc.ChannelCredentials);
  assert(credentials._isSecure());
  assert(!channelOf(undefined).credentials._isSecure());
});
