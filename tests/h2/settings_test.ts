// SETTINGS: what is taken over, what is refused, what is announced.
import { assertEquals } from "@std/assert";
import { ErrorCode } from "../../src/h2/frame.ts";
import {
  clientSettings,
  encodeSettings,
  PeerSettings,
  serverSettings,
} from "../../src/h2/settings.ts";
import { hex } from "../wire/support/bytes.ts";

interface Applied {
  readonly peer: PeerSettings;
  readonly error: number;
}

function applied(...pairs: [number, number][]): Applied {
  return appliedTo(new PeerSettings(true), ...pairs);
}

function appliedTo(peer: PeerSettings, ...pairs: [number, number][]): Applied {
  const bytes = encodeSettings(pairs);
  return { peer, error: peer.apply(bytes, 0, bytes.length) };
}

Deno.test("the protocol's defaults hold until the peer speaks", () => {
  const peer = new PeerSettings(true);
  assertEquals(peer.tableShrank, false);
  assertEquals(peer.initialWindowBytes, 65_535);
  assertEquals(peer.streamsMax, 2 ** 31 - 1);
  assertEquals(peer.tableBytes, 4096);
  assertEquals(peer.headerListBytes, Infinity);
  assertEquals(peer.seen, false);
});

Deno.test("values are taken over, the last of a repeated one counts", () => {
  const { peer, error } = applied([3, 7], [4, 0], [1, 100], [3, 8], [0x99, 1], [6, 12]);
  assertEquals(error, 0);
  assertEquals(peer.streamsMax, 8);
  assertEquals(peer.initialWindowBytes, 0);
  assertEquals(peer.tableBytes, 100);
  assertEquals(peer.headerListBytes, 12);
  assertEquals(applied([6, 0xffff_ffff]).peer.headerListBytes, 0xffff_ffff);
  assertEquals(peer.seen, true);
  assertEquals(applied([3, 0xffff_ffff]).peer.streamsMax, 2 ** 31 - 1);
});

Deno.test("values out of range are errors of their kind", () => {
  const { PROTOCOL_ERROR, FLOW_CONTROL_ERROR, NO_ERROR } = ErrorCode;
  const rows: [id: number, value: number, error: number][] = [
    [2, 0, NO_ERROR],
    [2, 1, NO_ERROR],
    [2, 2, PROTOCOL_ERROR],
    [4, 2 ** 31 - 1, NO_ERROR],
    [4, 2 ** 31, FLOW_CONTROL_ERROR],
    [4, 0xffff_ffff, FLOW_CONTROL_ERROR],
    [5, 16_383, PROTOCOL_ERROR],
    [5, 16_384, NO_ERROR],
    [5, 0xff_ffff, NO_ERROR],
    [5, 0x100_0000, PROTOCOL_ERROR],
  ];
  for (const [id, value, error] of rows) assertEquals(applied([id, value]).error, error, `${id}`);
});

Deno.test("a server may forbid us push, not offer it", () => {
  const errors = [0, 1, 2].map((value) => appliedTo(new PeerSettings(false), [2, value]).error);
  assertEquals(errors, [ErrorCode.NO_ERROR, ErrorCode.PROTOCOL_ERROR, ErrorCode.PROTOCOL_ERROR]);
});

Deno.test("a table that shrinks is noticed, also when it grows again at once", () => {
  const rows: [sizes: number[], shrank: boolean][] = [
    [[4096], false],
    [[8192], false],
    [[0], true],
    [[0, 4096], true],
    [[8192, 4096], true],
    [[0, 8192, 100_000], true],
  ];
  for (const [sizes, shrank] of rows) {
    const { peer } = applied(...sizes.map((size) => [1, size] as [number, number]));
    assertEquals([peer.tableShrank, peer.tableBytes], [shrank, sizes.at(-1)], `${sizes}`);
  }
});

Deno.test("what each side announces", () => {
  assertEquals(
    hex(serverSettings(2048, 131_072)),
    "000300000800" + "000400040000" + "000600020000",
  );
  assertEquals(hex(clientSettings(131_072)), "000200000000" + "000400040000" + "000600020000");
});
