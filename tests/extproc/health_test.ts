import { assertEquals } from "@std/assert";
import { Code } from "../../src/engine/mod.ts";
import { HEALTH_WATCHES_MAX } from "../../src/extproc/limits.ts";
import { EXT_PROC_SERVICE } from "../../src/extproc/service.ts";
import { field, hex } from "../wire/support/bytes.ts";
import { TestDesk } from "./support/desk.ts";

const CHECK = { path: "/grpc.health.v1.Health/Check" };
const WATCH = { path: "/grpc.health.v1.Health/Watch" };
const SERVING = "0801";
const NOT_SERVING = "0802";
const SERVICE_UNKNOWN = "0803";
const ALL = new Uint8Array(0);

function check(desk: TestDesk, request: Uint8Array): [string[], number | undefined] {
  const stream = desk.stream(CHECK);
  stream.listener.message(request);
  stream.listener.halfClosed();
  stream.close();
  return [stream.sent.map(hex), stream.ended?.code];
}

Deno.test("Check: SERVING for the server and for ext_proc, until told otherwise", () => {
  const desk = new TestDesk();
  for (const request of [ALL, field(1, ""), field(1, EXT_PROC_SERVICE)]) {
    assertEquals(check(desk, request), [[SERVING], Code.OK]);
  }
  desk.service.health.setServing(false);
  assertEquals(check(desk, ALL), [[NOT_SERVING], Code.OK]);
  desk.service.health.setServing(true);
  assertEquals(check(desk, ALL), [[SERVING], Code.OK]);
});

Deno.test("Check: unknown services and bad requests", () => {
  const desk = new TestDesk();
  assertEquals(check(desk, field(1, "other")), [[], Code.NOT_FOUND]);
  assertEquals(check(desk, Uint8Array.of(0xff)), [[], Code.INVALID_ARGUMENT]);
  const empty = desk.stream(CHECK);
  empty.listener.halfClosed();
  assertEquals([empty.sent.length, empty.ended?.code], [0, Code.INVALID_ARGUMENT]);
  const large = desk.stream(CHECK);
  large.listener.tooLarge();
  assertEquals(large.ended?.code, Code.RESOURCE_EXHAUSTED);
  const twice = desk.stream(CHECK);
  twice.listener.message(ALL);
  twice.listener.message(ALL);
  assertEquals(twice.sent.length, 1);
});

Deno.test("a health stream is asked once; what comes after a bad request is not read", () => {
  const desk = new TestDesk();
  const twice = desk.stream(WATCH);
  twice.listener.message(ALL);
  twice.listener.message(ALL);
  assertEquals([twice.sent.length, desk.service.health.watches], [1, 1]);
  const large = desk.stream(WATCH);
  large.listener.tooLarge();
  const empty = desk.stream(WATCH);
  empty.listener.halfClosed();
  const broken = desk.stream(WATCH);
  broken.listener.message(Uint8Array.of(0xff));
  for (const stream of [large, empty, broken]) stream.listener.message(ALL);
  assertEquals(desk.service.health.watches, 1);
  assertEquals([large, empty, broken].map(({ ended }) => ended?.message), [
    "request too large",
    "no HealthCheckRequest",
    "undecodable HealthCheckRequest",
  ]);
});

Deno.test("Watch: the status now and every change, until the watcher leaves", () => {
  const desk = new TestDesk();
  const known = desk.stream(WATCH);
  known.listener.message(ALL);
  known.listener.halfClosed();
  const unknown = desk.stream(WATCH);
  unknown.listener.message(field(1, "other"));
  desk.service.health.setServing(false);
  desk.service.health.setServing(false);
  assertEquals(known.sent.map(hex), [SERVING, NOT_SERVING]);
  assertEquals(unknown.sent.map(hex), [SERVICE_UNKNOWN, SERVICE_UNKNOWN]);
  assertEquals([known.ended, desk.service.health.watches], [undefined, 2]);
  known.close();
  unknown.close();
  assertEquals(desk.service.health.watches, 0);
  desk.service.health.setServing(true);
  assertEquals(known.sent.length, 2);
});

Deno.test("Watch: their number is bounded", () => {
  const desk = new TestDesk();
  const streams = Array.from({ length: HEALTH_WATCHES_MAX + 1 }, () => desk.stream(WATCH));
  for (const stream of streams) stream.listener.message(ALL);
  assertEquals(streams.at(-1)!.ended?.code, Code.RESOURCE_EXHAUSTED);
  assertEquals(streams.at(-2)!.ended, undefined);
  streams[0]!.close();
  const again = desk.stream(WATCH);
  again.listener.message(ALL);
  assertEquals(again.sent.map(hex), [SERVING]);
});

Deno.test("health streams are not ext_proc streams", () => {
  const desk = new TestDesk();
  desk.stream(WATCH).listener.message(ALL);
  assertEquals(desk.counts, [0, 0]);
});
