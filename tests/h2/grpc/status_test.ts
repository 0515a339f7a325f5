// gRPC status, messages and timeouts as text on the wire.
import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import { Decoder } from "../../../src/h2/hpack/decoder.ts";
import {
  decodeMessage,
  encodeMessage,
  parseStatus,
  trailersBlock,
} from "../../../src/h2/grpc/status.ts";
import { formatTimeout, parseTimeout } from "../../../src/h2/grpc/timeout.ts";
import { Random, seedOf } from "../../wire/support/random.ts";

Deno.test("messages are percent-encoded UTF-8", () => {
  const rows: [text: string, wire: string][] = [
    ["", ""],
    ["no free workers available", "no free workers available"],
    ["50% used", "50%25 used"],
    ["a\nb\tc", "a%0Ab%09c"],
    ["zwölf ☂", "zw%C3%B6lf %E2%98%82"],
    ["😀", "%F0%9F%98%80"],
    ['~!"#', '~!"#'],
    [" both ends ", "%20both ends%20"],
    ["  ", "%20%20"],
    ["\x7f", "%7F"],
    ["\ufeffmark", "%EF%BB%BFmark"],
  ];
  for (const [text, wire] of rows) {
    assertEquals(encodeMessage(text), wire);
    assertEquals(decodeMessage(wire), text);
  }
});

Deno.test("broken encoding is kept as it is, never an error", () => {
  const rows: [wire: string, text: string][] = [
    ["100%", "100%"],
    ["%4", "%4"],
    ["%zz", "%zz"],
    ["%41%4", "A%4"],
    ["%ff", "\ufffd"],
    ["%C3", "\ufffd"],
    ["%e2%98%82", "☂"],
    ["\xc3\xb6", "ö"],
  ];
  for (const [wire, text] of rows) assertEquals(decodeMessage(wire), text);
});

Deno.test("any text survives, up to its length", () => {
  const random = new Random(seedOf("grpc-message"));
  for (let run = 0; run < 500; run++) {
    const text = String.fromCodePoint(
      ...Array.from({ length: random.below(30) }, () => random.below(0xd800)),
    );
    assertEquals(decodeMessage(encodeMessage(text)), text);
    assert(/^[\x20-\x7e]*$/.test(encodeMessage(text)));
  }
  assertEquals(encodeMessage("x".repeat(10_000)).length, 2048);
});

Deno.test("status codes", () => {
  const rows: [wire: string | undefined, code: number | undefined][] = [
    [undefined, undefined],
    ["0", 0],
    ["14", 14],
    ["99", 99],
    ["", 2],
    ["-1", 2],
    ["1.5", 2],
    ["abc", 2],
    ["9999999999", 2],
  ];
  for (const [wire, code] of rows) assertEquals(parseStatus(wire), code);
});

Deno.test("trailers say code and message", () => {
  const rows: [code: number, message: string, fields: string[]][] = [
    [0, "", ["grpc-status", "0"]],
    [0, "", ["grpc-status", "0"]],
    [16, "", ["grpc-status", "16"]],
    [17, "", ["grpc-status", "17"]],
    [8, "no", ["grpc-status", "8", "grpc-message", "no"]],
  ];
  for (const [code, message, fields] of rows) {
    const block = trailersBlock(code, message);
    assertEquals(new Decoder(10_000, 100).decode(block, 0, block.length)?.fields, fields);
  }
  const first = trailersBlock(3, "");
  assertStrictEquals(trailersBlock(3, ""), first, "made once");
});

Deno.test("timeouts are read in all units", () => {
  const rows: [wire: string, ms: number | undefined][] = [
    ["1H", 3_600_000],
    ["2M", 120_000],
    ["3S", 3000],
    ["250m", 250],
    ["1500u", 1.5],
    ["2000000n", 2],
    ["0m", 0],
    ["99999999S", 99_999_999_000],
    ["100000000m", undefined],
    ["m", undefined],
    ["1", undefined],
    ["1s", undefined],
    ["-1m", undefined],
    ["1.5S", undefined],
    [" 1m", undefined],
    ["", undefined],
  ];
  for (const [wire, ms] of rows) assertEquals(parseTimeout(wire), ms, wire);
});

Deno.test("timeouts are written in at most eight digits, never shorter than asked", () => {
  const rows: [ms: number, wire: string][] = [
    [0, "0m"],
    [-5, "0m"],
    [0.2, "1m"],
    [250, "250m"],
    [99_999_999, "99999999m"],
    [100_000_000, "100000S"],
    [100_000_001, "100001S"],
    [1e12, "277778H"],
    [Number.MAX_SAFE_INTEGER, "99999999H"],
  ];
  for (const [ms, wire] of rows) {
    assertEquals(formatTimeout(ms), wire);
    assert(wire === "99999999H" || parseTimeout(wire)! >= ms);
  }
});
