// `host:port` of the control plane.
import { assertEquals, assertThrows } from "@std/assert";
import { parseAddress, shownAddress } from "../../src/controlplane/address.ts";

Deno.test("addresses are taken apart", () => {
  const rows: [text: string, host: string, port: number, isLiteral: boolean][] = [
    ["api.ate-system.svc:443", "api.ate-system.svc", 443, false],
    ["localhost:1", "localhost", 1, false],
    ["127.0.0.1:65535", "127.0.0.1", 65_535, true],
    ["[::1]:443", "::1", 443, true],
    ["[fd00::10.0.0.1]:80", "fd00::10.0.0.1", 80, true],
    ["1.2.3:80", "1.2.3", 80, false],
  ];
  for (const [text, host, port, isLiteral] of rows) {
    assertEquals(parseAddress(text), { host, port, isLiteral, authority: text });
  }
});

Deno.test("what is no address is refused, and quoted", () => {
  const texts = [
    ...["", "a", "a:", ":1", "a:0", "a:65536", "a:70000", "a:-1", "a:1x", "a:123456"],
    ...["::1:1", "[::1]", "[a.b]:1", "[1.2.3.4]:1", "a b:1", "https://a:1", "u@a:1", "a:1/"],
  ];
  for (const text of texts) {
    assertThrows(
      () => parseAddress(text),
      TypeError,
      `Cannot parse as control-plane address: ${JSON.stringify(text)}`,
    );
  }
});

Deno.test("IPv6 is shown in brackets", () => {
  assertEquals([shownAddress("10.0.0.1", 5), shownAddress("::1", 5)], ["10.0.0.1:5", "[::1]:5"]);
});
