// The demo's client against a server of ours: the Host it sends, what it makes of answers, its ends.
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { monotonicClock } from "../../src/process/platform.ts";
import { burst, type BurstOptions } from "../../src/sim/burst.ts";
import { httpGet } from "../../src/sim/http_get.ts";
import { numberedActors } from "../../src/sim/model.ts";

const clock = monotonicClock();
const signal = new AbortController().signal;

/** A server that writes the same raw text to everybody; undefined = takes the request, says nothing. */
async function withServer(
  text: string | undefined,
  body: (port: number, seen: string[]) => Promise<void>,
): Promise<void> {
  const seen: string[] = [];
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const serving: Promise<void>[] = [];
  const accepting = (async () => {
    for await (const conn of listener) serving.push(answer(conn, text, seen));
  })();
  try {
    await body(listener.addr.port, seen);
  } finally {
    listener.close();
    await accepting;
    await Promise.all(serving);
  }
}

async function answer(conn: Deno.Conn, text: string | undefined, seen: string[]): Promise<void> {
  const bytes = new Uint8Array(4096);
  let request = "";
  while (!request.endsWith("\r\n\r\n")) {
    const count = await conn.read(bytes);
    if (count === null) break;
    request += new TextDecoder().decode(bytes.subarray(0, count));
  }
  seen.push(request);
  if (text === undefined) await conn.read(bytes).catch(() => null);
  else await conn.write(new TextEncoder().encode(text));
  conn.close();
}

function options(port: number, more: Partial<BurstOptions> = {}): BurstOptions {
  return {
    hostname: "127.0.0.1",
    port,
    actors: numberedActors(2),
    requests: 4,
    actorDomain: "actors.example",
    clock,
    timeoutMs: 10_000,
    signal,
    ...more,
  };
}

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 13\r\n\r\n{"here":true}';

Deno.test("requests are dealt to the actors in turn, each with the actor's host", async () => {
  await withServer(OK, async (port, seen) => {
    const answers: number[] = [];
    const outcomes = await burst(options(port, { onAnswer: (count) => answers.push(count) }));
    assertEquals(answers, [1, 2, 3, 4]);
    assertEquals(outcomes.map((one) => one.kind === "answered" && one.rightWorker), [
      ...[true, true, true, true],
    ]);
    const hosts = seen.map((text) => /^host: (.*)\r$/m.exec(text)?.[1]).sort();
    assertEquals(hosts, [
      ...["a1.demo.actors.example", "a1.demo.actors.example"],
      ...["a2.demo.actors.example", "a2.demo.actors.example"],
    ]);
    const actors = seen.map((text) => /^x-sim-actor: (.*)\r$/m.exec(text)?.[1]).sort();
    assertEquals(actors, ["demo/a1", "demo/a1", "demo/a2", "demo/a2"]);
  });
});

Deno.test("a 503 is an answer with its body, a 200 of a wrong worker is not right", async () => {
  const rows: [text: string, status: number, body: string][] = [
    ["HTTP/1.1 503 Service Unavailable\r\n\r\nactor a1 unavailable", 503, "actor a1 unavailable"],
    ['HTTP/1.1 200 OK\r\n\r\n{"here":false}', 200, '{"here":false}'],
  ];
  for (const [text, status, body] of rows) {
    await withServer(text, async (port) => {
      const [one] = await burst(options(port, { requests: 1 }));
      assert(one?.kind === "answered");
      assertEquals([one.status, one.body, one.rightWorker], [status, body, false]);
      assert(one.waitMs >= 0);
    });
  }
});

Deno.test("what is no whole answer is a failure with its reason", async () => {
  const rows: [text: string, why: string][] = [
    ["", "Cannot read as an HTTP answer"],
    ["SSH-2.0-x\r\n\r\n", "Cannot read as an HTTP answer"],
    ["HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nshort", "Cannot read as a whole body of 9 bytes"],
    ["HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n", "chunked"],
    ["HTTP/1.1 200 OK\r\n\r\nnot JSON", "JSON"],
  ];
  for (const [text, why] of rows) {
    await withServer(text, async (port) => {
      const [one] = await burst(options(port, { requests: 1 }));
      assert(one?.kind === "failed", JSON.stringify(one));
      assertStringIncludes(one.why, why);
    });
  }
});

Deno.test("a refused connection is a failure, not an exception", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  const [one] = await burst(options(port, { requests: 1 }));
  assert(one?.kind === "failed");
  assertEquals(await burst(options(port, { actors: [] })), []);
});

Deno.test("a request waits no longer than its time, and not at all after the signal", async () => {
  await withServer(undefined, async (port) => {
    const get = { hostname: "127.0.0.1", port, host: "x", path: "/", clock };
    await assertRejects(
      () => httpGet({ ...get, timeoutMs: 20 }),
      Error,
      "Cannot wait for an answer as a client: no answer within 20 ms",
    );
    const stop = new AbortController();
    const waiting = httpGet({ ...get, timeoutMs: 60_000, signal: stop.signal });
    const failed = assertRejects(() => waiting, Error, "stopped");
    stop.abort();
    await failed;
    await assertRejects(() => httpGet({ ...get, timeoutMs: 60_000, signal: stop.signal }));
  });
});
