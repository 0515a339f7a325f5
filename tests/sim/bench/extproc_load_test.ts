// The load generator against a small server: what it sends is a request of Envoy's, what it counts
// are verdicts and losses, and its rate does not depend on the answers.
import { assert, assertEquals } from "@std/assert";
import { fromBinary } from "@bufbuild/protobuf";
import { ExtprocLoad } from "../../../bench/lib/extproc_load.ts";
import { parkForEver } from "../../../bench/lib/parking.ts";
import { actorHost, PROCESS_PATH } from "../../../bench/lib/request_frame.ts";
import { verdictKind } from "../../../bench/lib/verdict_kind.ts";
import { steady } from "../../../bench/lib/steady.ts";
import type { BoundServer, ServerStream } from "../../../src/extproc/port.ts";
import { ProcessingRequestSchema } from "../../../src/gen/envoy/service/ext_proc/v3/external_processor_pb.ts";
import { serve } from "../../../src/grpcjs/server.ts";
import { until } from "../../support/until.ts";

const MAX_STREAMS = 1_000;

/** Answers a1 and a2, denies a5000 at once, keeps everybody else waiting. */
async function withServer(
  ending: "half-close" | "reset",
  body: (load: ExtprocLoad, server: BoundServer, seen: string[]) => Promise<void>,
): Promise<void> {
  const seen: string[] = [];
  const server = await serve(
    { hostname: "127.0.0.1", port: 0, maxConcurrentStreams: MAX_STREAMS, maxMessageBytes: 1 << 20 },
    (stream) => (stream.path === PROCESS_PATH ? listener(stream, seen) : undefined),
  );
  try {
    await using load = await ExtprocLoad.connect({
      address: `127.0.0.1:${server.port}`,
      ending,
    });
    await body(load, server, seen);
  } finally {
    await server.close();
  }
}

function listener(stream: ServerStream, seen: string[]) {
  return {
    message(bytes: Uint8Array) {
      const host = hostOf(bytes);
      seen.push(host);
      if (/^a[12]\./.test(host)) stream.send(new Uint8Array([0x0a, 0]));
      if (host === "deny.example" || host.startsWith("a5000.")) {
        stream.send(new Uint8Array([0x42, 0, 0x3a, 0]));
      }
      if (host === "refuse.example") stream.end(13, "no");
    },
    tooLarge() {},
    halfClosed: () => stream.end(0),
    closed() {},
  };
}

function hostOf(bytes: Uint8Array): string {
  const { request } = fromBinary(ProcessingRequestSchema, bytes);
  assert(request.case === "requestHeaders");
  const authority = request.value.headers?.headers.find(({ key }) => key === ":authority");
  return new TextDecoder().decode(authority?.rawValue);
}

for (const ending of ["half-close", "reset"] as const) {
  Deno.test(`a request is one RequestHeaders message with the actor's host (${ending})`, async () => {
    await withServer(ending, async (load, server, seen) => {
      assertEquals(await load.ask(actorHost(1)), "routed");
      assertEquals(seen, ["a1.demo.actors.resources.substrate.ate.dev"]);
      assertEquals(load.open, 0);
      await until("the end of the stream", () => server.counts().streams === 0);
    });
  });

  Deno.test(`streams without a verdict are open, and lost with their connection (${ending})`, async () => {
    await withServer(ending, async (load, server, seen) => {
      const parked = [3, 4, 5].map((n) => load.ask(actorHost(n)));
      await load.ask(actorHost(2));
      assertEquals([load.open, seen.length], [3, 4]);
      await server.close();
      assertEquals(await Promise.all(parked), ["lost", "lost", "lost"]);
      assertEquals(load.open, 0);
      assertEquals(await load.ask(actorHost(1)), "lost");
    });
  });
}

Deno.test("more than the connection's window can be in flight", async () => {
  await withServer("half-close", async (load, _, seen) => {
    const asked = Array.from({ length: 900 }, (_, i) => load.ask(actorHost(i + 3)));
    await until("all requests", () => seen.length === 900);
    assertEquals(load.open, 900);
    await load[Symbol.asyncDispose]();
    assertEquals(new Set(await Promise.all(asked)), new Set(["lost"]));
  });
});

Deno.test("no more streams than the server allows are open; the others wait their turn", async () => {
  await withServer("half-close", async (load, server, seen) => {
    const parked = Array.from({ length: MAX_STREAMS }, (_, i) => load.ask(actorHost(i + 3)));
    const next = load.ask(actorHost(1));
    await until("the first requests", () => seen.length === MAX_STREAMS);
    assertEquals([load.open, server.counts().streams], [MAX_STREAMS + 1, MAX_STREAMS]);
    await load[Symbol.asyncDispose]();
    assertEquals(new Set(await Promise.all([...parked, next])), new Set(["lost"]));
    assertEquals(seen.length, MAX_STREAMS);
  });
});

Deno.test("a stream that has ended makes room for the next one", async () => {
  await withServer("half-close", async (load, _, seen) => {
    const asked = Array.from({ length: 3 * MAX_STREAMS }, (_, i) => load.ask(actorHost(i % 2 + 1)));
    assertEquals(new Set(await Promise.all(asked)), new Set(["routed"]));
    assertEquals(seen.length, 3 * MAX_STREAMS);
  });
});

Deno.test("a denial is told apart; a stream that the server ends without a message is lost", async () => {
  await withServer("half-close", async (load) => {
    assertEquals(await load.ask("deny.example"), "denied");
    assertEquals(await load.ask("refuse.example"), "lost");
  });
});

Deno.test("a steady load asks as often as it should and measures from when it was due", async () => {
  await withServer("half-close", async (load, _, seen) => {
    const startMs = performance.now();
    const result = await steady({ load, perSecond: 200, seconds: 0.5, actors: 2 });
    assert(performance.now() - startMs >= 490);
    assertEquals([result.waitsMs.length, result.denied, result.lost, seen.length], [
      100,
      0,
      0,
      100,
    ]);
    assertEquals(new Set(seen).size, 2);
    assert(result.waitsMs.every((ms) => ms >= 0));
  });
});

Deno.test("who is denied long before its budget ends comes back, but not in the same instant", async () => {
  await withServer("half-close", async (load, _, seen) => {
    const startMs = performance.now();
    const stop = parkForEver({ load, first: 5_000, count: 1, budgetMs: 60_000 });
    await until("some attempts", () => seen.length === 4);
    const tookMs = performance.now() - startMs;
    const { denied, early } = stop();
    assertEquals(denied, 0);
    assert(early >= 3);
    assert(tookMs >= 290, `${tookMs} ms`);
    await load[Symbol.asyncDispose]();
  });
});

Deno.test("verdicts are told apart by their fields, whatever stands before them", () => {
  const rows: [message: number[], kind: string | undefined][] = [
    [[0x0a, 0], "routed"],
    [[0x3a, 1, 0], "denied"],
    [[0x42, 2, 0x0a, 0, 0x3a, 0], "denied"],
    [[0x42, 0x80, 1, ...Array(128).fill(0x3a), 0x0a, 0], "routed"],
    [[0x50, 5, 0x0a, 0], "routed"],
    [[0x42, 0], undefined],
    [[], undefined],
  ];
  for (const [message, kind] of rows) {
    assertEquals(verdictKind(new Uint8Array([0, 0, 0, 0, message.length, ...message])), kind);
  }
});
