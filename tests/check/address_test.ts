import { assertEquals } from "@std/assert";
import {
  canonicalIp,
  hostsOverlap,
  isHost,
  isLocalIp,
  joinHostPort,
  parseHostPort,
} from "../../src/check/address.ts";

Deno.test("parseHostPort() splits host and port", () => {
  const rows: readonly [text: string, host: string, port: number][] = [
    ["api.ate-system.svc:443", "api.ate-system.svc", 443],
    ["127.0.0.1:9901", "127.0.0.1", 9901],
    ["[::1]:80", "::1", 80],
    ["[2001:DB8::1]:80", "2001:DB8::1", 80],
    [":9090", "", 9090],
    ["h:0", "h", 0],
    ["h:-1", "h", -1],
    ["h:70000", "h", 70_000],
  ];
  for (const [text, host, port] of rows) assertEquals(parseHostPort(text), { host, port }, text);
});

Deno.test("parseHostPort() knows no other form", () => {
  const rows = ["", "h", "h:", "::1:80", "[::1]", "[::1]80", "[h]:80", "[]:80", "a:b:80", "h:8o"];
  for (const text of [...rows, "h:12345678901", "h:1.5", "[::1:80", "http://h:80"]) {
    assertEquals(parseHostPort(text), undefined, text);
  }
});

Deno.test("canonicalIp() gives one spelling per address", () => {
  const rows: readonly [text: string, ip: string | undefined][] = [
    ["127.0.0.1", "127.0.0.1"],
    ["255.255.255.255", "255.255.255.255"],
    ["256.0.0.1", undefined],
    ["127.1", undefined],
    ["0177.0.0.1", undefined],
    ["127.0.0.01", undefined],
    ["1.2.3.4.5", undefined],
    ["::", "::"],
    ["::1", "::1"],
    ["0:0:0:0:0:0:0:1", "::1"],
    ["2001:DB8::0:1", "2001:db8::1"],
    ["::ffff:10.0.0.1", "10.0.0.1"],
    ["::ffff:a00:1", "10.0.0.1"],
    ["fe80::1%eth0", undefined],
    ["[::1]", undefined],
    [":", undefined],
    ["1::2::3", undefined],
    ["localhost", undefined],
    ["", undefined],
  ];
  for (const [text, ip] of rows) assertEquals(canonicalIp(text), ip, text);
});

Deno.test("isHost() takes literals and DNS names", () => {
  for (const host of ["a", "a.b", "api.ate-system.svc", "a_b.c", "10.0.0.1", "::1", "a.b."]) {
    assertEquals(isHost(host), true, host);
  }
  const names = ["", "-a", "a-", "a..b", "a b", "user@a", "1.2.3", "999.1.1.1", "a/b", "ä"];
  for (const host of [...names, "x".repeat(64), "a.".repeat(130)]) {
    assertEquals(isHost(host), false, host);
  }
});

Deno.test("hostsOverlap() knows wildcards of both families", () => {
  const rows: readonly [a: string, b: string, overlap: boolean][] = [
    ["127.0.0.1", "127.0.0.1", true],
    ["127.0.0.1", "127.0.0.2", false],
    ["127.0.0.1", "0.0.0.0", true],
    ["0.0.0.0", "0.0.0.0", true],
    ["::", "127.0.0.1", true],
    ["::", "::1", true],
    ["::", "0.0.0.0", true],
    ["::1", "0.0.0.0", false],
    ["::1", "0:0::1", true],
    ["::1", "127.0.0.1", false],
    ["::ffff:127.0.0.1", "127.0.0.1", true],
    ["::ffff:0.0.0.0", "10.1.2.3", true],
  ];
  for (const [a, b, overlap] of rows) {
    assertEquals(hostsOverlap(a, b), overlap, `${a} ${b}`);
    assertEquals(hostsOverlap(b, a), overlap, `${b} ${a}`);
  }
});

Deno.test("joinHostPort() brackets v6, isLocalIp() knows this machine", () => {
  assertEquals(joinHostPort("::1", 80), "[::1]:80");
  assertEquals(joinHostPort("10.0.0.1", 80), "10.0.0.1:80");
  for (const ip of ["127.0.0.1", "127.9.9.9", "::1", "0.0.0.0", "::", "::ffff:127.0.0.1"]) {
    assertEquals(isLocalIp(ip), true, ip);
  }
  for (const ip of ["10.0.0.1", "2001:db8::1", "localhost", ""]) assertEquals(isLocalIp(ip), false);
});
