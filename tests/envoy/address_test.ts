// Addresses as flags carry them and as Envoy writes them.
import { assertEquals, assertThrows } from "@std/assert";
import {
  bindHost,
  dialHost,
  isLiteral,
  socketAddress,
  splitHostPort,
} from "../../src/envoy/address.ts";

const SPLIT: readonly [
  address: string,
  fallback: number | undefined,
  host: string,
  port: number,
][] = [
  ["127.0.0.1:9901", undefined, "127.0.0.1", 9901],
  ["127.0.0.1:0", undefined, "127.0.0.1", 0],
  ["otel.monitoring.svc:4317", undefined, "otel.monitoring.svc", 4317],
  ["otel.monitoring.svc", 4317, "otel.monitoring.svc", 4317],
  ["[::1]:9901", undefined, "::1", 9901],
  ["[2001:db8::5]", 4317, "2001:db8::5", 4317],
  ["2001:db8::5", 4317, "2001:db8::5", 4317],
  ["host:65535", undefined, "host", 65535],
  ["host:1", 4317, "host", 1],
];

for (const [address, fallback, host, port] of SPLIT) {
  Deno.test(`splitHostPort() reads ${address}`, () => {
    assertEquals(splitHostPort(address, fallback), { host, port });
  });
}

const BAD = [
  "",
  ":80",
  "host:",
  "host:65536",
  "host:-1",
  "host:80:90x",
  "[::1",
  "::1]:80",
  "a]b:1",
];

for (const address of BAD) {
  Deno.test(`splitHostPort() refuses ${JSON.stringify(address)} and names it`, () => {
    const error = assertThrows(() => splitHostPort(address, 4317), TypeError);
    assertEquals(error.message, `Cannot read address as host:port: ${address}`);
  });
}

Deno.test("splitHostPort() refuses a missing port when there is no fallback", () => {
  assertThrows(() => splitHostPort("host"), TypeError, "host");
});

Deno.test("isLiteral() tells addresses from names", () => {
  for (const host of ["127.0.0.1", "10.1.2.3", "::1", "2001:db8::5"]) {
    assertEquals(isLiteral(host), true, host);
  }
  for (const host of ["localhost", "a.b.c.d", "1.2.3", "router.svc", "127.0.0.1.nip.example"]) {
    assertEquals(isLiteral(host), false, host);
  }
});

Deno.test("dialHost() turns an address that means every interface into this host", () => {
  assertEquals(dialHost("0.0.0.0"), "127.0.0.1");
  assertEquals(dialHost(""), "127.0.0.1");
  assertEquals(dialHost("::"), "::1");
  assertEquals(dialHost("10.0.0.4"), "10.0.0.4");
  assertEquals(dialHost("router.svc"), "router.svc");
});

Deno.test("bindHost() binds a name to loopback and a literal as it is", () => {
  assertEquals(bindHost("localhost"), "127.0.0.1");
  assertEquals(bindHost("envoy.svc"), "127.0.0.1");
  assertEquals(bindHost("::1"), "::1");
  assertEquals(bindHost("10.0.0.4"), "10.0.0.4");
});

Deno.test("socketAddress() is Envoy's form", () => {
  assertEquals(socketAddress("::1", 80), {
    socket_address: { address: "::1", port_value: 80 },
  });
});
