// --route-timeout on a real Envoy: it is for the whole answer of a worker, not for its first byte, and
// the access log tells it from everything the router says.
import { assertEquals, assertRejects } from "@std/assert";
import { EchoWorker } from "../support/echo.ts";
import { type EnvoyUnderTest, startEnvoy } from "../support/envoy.ts";
import { OK_METADATA, routedTo } from "../support/ext_proc_messages.ts";
import { ScriptedExtProc } from "../support/ext_proc_script.ts";
import { httpRequest } from "../support/http.ts";

const HOST = "a1.demo.actors.resources.substrate.ate.dev";
const TIMEOUT_MS = 400;
const EVERY_MS = 50;
/** A stream that goes on three times as long as it may. */
const PARTS = 3 * TIMEOUT_MS / EVERY_MS;

type Reply = Awaited<ReturnType<typeof httpRequest>>;

/** Envoy before a worker with this answer, for the time of a test. */
async function withWorker(
  answer: () => Response | Promise<Response>,
  routeTimeoutMs: number,
  test: (ask: (type: string) => Promise<Reply>, envoy: EnvoyUnderTest) => Promise<void>,
): Promise<void> {
  await using worker = new EchoWorker("127.0.0.1", answer);
  await using extproc = await ScriptedExtProc.start((asked) =>
    asked.reply(routedTo(`127.0.0.1:${worker.port}`, OK_METADATA))
  );
  await using envoy = await startEnvoy({
    portExtproc: extproc.port,
    workerPort: worker.port,
    routeTimeoutMs,
  });
  const ask = (type: string) =>
    httpRequest(envoy.httpPort, {
      host: HOST,
      method: "POST",
      body: "",
      headers: { "content-type": type },
    });
  await test(ask, envoy);
}

/** A body that comes bit by bit, and is never silent. */
function trickle(): Response {
  let timer: ReturnType<typeof setInterval>;
  let left = PARTS;
  return new Response(
    new ReadableStream<Uint8Array<ArrayBuffer>>({
      start(controller) {
        timer = setInterval(() => {
          controller.enqueue(new TextEncoder().encode("."));
          if (--left > 0) return;
          clearInterval(timer);
          controller.close();
        }, EVERY_MS);
      },
      cancel: () => clearInterval(timer),
    }),
  );
}

Deno.test("a worker that does not begin to answer in time is Envoy's 504, or UNAVAILABLE", async () => {
  const late = Promise.withResolvers<Response>();
  await withWorker(() => late.promise, TIMEOUT_MS, async (ask, envoy) => {
    const plain = await ask("text/plain");
    assertEquals([plain.status, plain.body], [504, "upstream request timeout"]);
    const { status, headers } = await ask("application/grpc");
    assertEquals([status, headers["grpc-status"]], [200, "14"]);
    assertEquals(headers["grpc-message"], "upstream request timeout");
    const line = await envoy.logged(({ status }) => status === 504);
    assertEquals([line.outcome, line.details, line.flags], ["ok", "response_timeout", "UT"]);
    late.resolve(new Response());
  });
});

Deno.test("a worker in the middle of its answer is cut, however busy it is", async () => {
  await withWorker(trickle, TIMEOUT_MS, async (ask, envoy) => {
    await assertRejects(() => ask("text/plain"), Error, "the connection ended");
    const line = await envoy.logged(() => true);
    assertEquals([line.status, line.outcome], [200, "ok"]);
    assertEquals([line.details, line.flags], ["response_timeout", "UT"]);
  });
});

Deno.test("with --route-timeout=0 an answer takes as long as it takes", async () => {
  await withWorker(trickle, 0, async (ask, envoy) => {
    const { status, body } = await ask("text/plain");
    assertEquals([status, body], [200, ".".repeat(PARTS)]);
    assertEquals((await envoy.logged(() => true)).details, "via_upstream");
  });
});
