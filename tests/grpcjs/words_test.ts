// The small parsers of the grpc-js room: timeouts, messages, addresses.
import { assertEquals, assertThrows } from "@std/assert";
import { parseAddress, shown, target } from "../../src/grpcjs/address.ts";
import { decodeMessage } from "../../src/grpcjs/message.ts";
import { parseTimeoutMs } from "../../src/grpcjs/timeout.ts";

Deno.test("grpc-timeout: every unit, and nothing else", () => {
  const rows: [header: string | undefined, ms: number | undefined][] = [
    ["1H", 3_600_000],
    ["2M", 120_000],
    ["3S", 3_000],
    ["4m", 4],
    ["5000u", 5],
    ["6000000n", 6],
    ["0m", 0],
    ["00000001S", 1_000],
    ["99999999H", 359_999_996_400_000],
    [undefined, undefined],
    ["", undefined],
    ["1", undefined],
    ["m", undefined],
    ["1s", undefined],
    ["1 S", undefined],
    ["-1S", undefined],
    ["1.5S", undefined],
    ["123456789S", undefined],
    ["1Sx", undefined],
    ["1S\n", undefined],
  ];
  for (const [header, ms] of rows) assertEquals(parseTimeoutMs(header), ms, `${header}`);
});

Deno.test("grpc-message: percent escapes of UTF-8; what is broken stands for itself", () => {
  const rows: [header: string, text: string][] = [
    ["", ""],
    ["plain words", "plain words"],
    ["50%25 used", "50% used"],
    ["a%3Ab%2Fc%2C", "a:b/c,"],
    ["%e2%98%82 rain", "☂ rain"],
    ["%F0%9F%90%8C", "🐌"],
    ["line%0Aline", "line\nline"],
    ["100%", "100%"],
    ["%zz%4", "%zz%4"],
    ["%%41", "%A"],
    ["%ff", "\ufffd"],
    ["%e2%98", "\ufffd"],
  ];
  for (const [header, text] of rows) assertEquals(decodeMessage(header), text, header);
});

Deno.test("grpc-message: what encodeURIComponent writes comes back", () => {
  for (let code = 1; code < 0x3000; code += 7) {
    const text = `<${String.fromCodePoint(code)}>`;
    assertEquals(decodeMessage(encodeURIComponent(text)), text);
  }
});

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
    "",
    "a",
    "a:",
    ":1",
    "a:0",
    "a:65536",
    "a:-1",
    "a:1x",
    "::1:1",
    "[a.b]:1",
    "a b:1",
  ];
  for (const text of [...texts, "https://a:1", "u@a:1", "a:1/", "a:123456"]) {
    assertThrows(() => parseAddress(text), TypeError, JSON.stringify(text));
  }
});

Deno.test("IPv6 is shown in brackets and dialled as such", () => {
  assertEquals([shown("10.0.0.1", 5), target("10.0.0.1", 5)], ["10.0.0.1:5", "ipv4:10.0.0.1:5"]);
  assertEquals([shown("::1", 5), target("::1", 5)], ["[::1]:5", "ipv6:[::1]:5"]);
});
