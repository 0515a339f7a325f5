// Reading and writing of frame headers and numbers.
import { assertEquals } from "@std/assert";
import {
  ErrorCode,
  errorName,
  FrameType,
  makeFrame,
  PREFACE,
  readUint31,
  readUint32,
  writeFrameHeader,
  writeUint32,
} from "../../src/h2/frame.ts";
import { hex } from "../wire/support/bytes.ts";
import { TYPES } from "./_frames.ts";

Deno.test("numbers are big endian, and 32 bits stay positive", () => {
  const bytes = new Uint8Array(8);
  for (const value of [0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x0102_0304]) {
    writeUint32(bytes, 2, value);
    assertEquals(readUint32(bytes, 2), value);
    assertEquals(readUint31(bytes, 2), value % 2 ** 31);
  }
});

Deno.test("a frame header is nine bytes", () => {
  const bytes = new Uint8Array(11);
  writeFrameHeader(bytes, 1, 0x012345, FrameType.PING, 0x1, 0x01020304);
  assertEquals(hex(bytes), "0001234506010102030400");
  assertEquals(hex(makeFrame(FrameType.DATA, 1, 3, Uint8Array.of(9))), "000001000100000003" + "09");
});

Deno.test("names of types and codes are those of RFC 9113", () => {
  assertEquals(TYPES.map((name) => FrameType[name]), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  const names = [
    "NO_ERROR",
    "PROTOCOL_ERROR",
    "INTERNAL_ERROR",
    "FLOW_CONTROL_ERROR",
    "SETTINGS_TIMEOUT",
    "STREAM_CLOSED",
    "FRAME_SIZE_ERROR",
    "REFUSED_STREAM",
    "CANCEL",
    "COMPRESSION_ERROR",
    "CONNECT_ERROR",
    "ENHANCE_YOUR_CALM",
    "INADEQUATE_SECURITY",
    "HTTP_1_1_REQUIRED",
  ];
  assertEquals(Object.values(ErrorCode).map(errorName), names);
  assertEquals(errorName(99), "code 99");
  assertEquals(new TextDecoder().decode(PREFACE), "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
});
