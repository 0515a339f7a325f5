// Which implementation a flag gives, and that one which cannot work on a runtime says so.
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { grpcJsProblem } from "../../src/app/grpcjs_support.ts";
import { transportOf } from "../../src/app/transport.ts";

Deno.test("grpc-js works on a known range of runtimes", () => {
  const rows: [version: string, works: boolean][] = [
    ["2.6.10", false],
    ["2.7.13", false],
    ["2.7.14", true],
    ["2.8.0", true],
    ["2.9.0", true],
    ["2.9.3", true],
    ["2.9.3+1234567", true],
    ["2.9.4", false],
    ["2.10.0", false],
    ["3.0.0", false],
    ["1.46.3", false],
    ["", false],
    ["two", false],
  ];
  for (const [version, works] of rows) {
    assertEquals(grpcJsProblem(version) === undefined, works, version);
  }
});

Deno.test("what is wrong with a runtime names it, the range and the way out", () => {
  const problem = grpcJsProblem("2.6.10") ?? "";
  for (const part of ["Deno 2.6.10", "2.7.14 to 2.9.3", "--grpc-transport=native"]) {
    assertStringIncludes(problem, part);
  }
});

Deno.test("native works on every runtime", () => {
  assert(transportOf("native", "2.6.10") === transportOf("native", "9.9.9"));
});

Deno.test("grpc-js on a runtime that cannot carry it neither serves nor connects", async () => {
  const { serve, connect } = transportOf("grpc-js", "2.6.10");
  const options = {
    hostname: "127.0.0.1",
    port: 0,
    maxConcurrentStreams: 1,
    maxMessageBytes: 1,
    onFault() {},
  };
  const neverOpen = () => {
    throw new Error("Cannot open a stream of a server that never was");
  };
  await assertRejects(() => serve(options, neverOpen), Error, "on Deno 2.6.10");
  const dial = {
    address: "127.0.0.1:1",
    credentials: { kind: "insecure" },
    draw: () => 0,
    log() {},
  } as const;
  await assertRejects(() => connect(dial), Error, "on Deno 2.6.10");
});

Deno.test("the pinned runtime can carry both", () => {
  assert(transportOf("grpc-js") !== transportOf("grpc-js", "2.6.10"));
  assertEquals(grpcJsProblem(Deno.version.deno), undefined);
});
