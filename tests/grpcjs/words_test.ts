// The small parsers of the grpc-js room: timeouts, messages, addresses.
import { assertEquals } from "@std/assert";
import { isLiteral, shown, target } from "../../src/grpcjs/address.ts";
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
  assertEquals(decodeMessage("%EF%BB%BFmark"), "\ufeffmark");
});

Deno.test("an address is told from a name, shown, and written as grpc-js dials it", () => {
  const rows: [hostname: string, isLiteral: boolean, shown: string, target: string][] = [
    ["10.0.0.1", true, "10.0.0.1:5", "ipv4:10.0.0.1:5"],
    ["::1", true, "[::1]:5", "ipv6:[::1]:5"],
    ["fd00::10.0.0.1", true, "[fd00::10.0.0.1]:5", "ipv6:[fd00::10.0.0.1]:5"],
  ];
  for (const [hostname, literal, text, dialled] of rows) {
    assertEquals([isLiteral(hostname), shown(hostname, 5)], [literal, text]);
    assertEquals(target(hostname, 5), dialled);
  }
  for (const name of ["api.test", "localhost", "1.2.3", "10.0.0.1.test", ""]) {
    assertEquals(isLiteral(name), false, name);
  }
});
