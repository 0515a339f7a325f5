// The demo's story and its ends: what it returns, what it says, and that nothing is left behind.
// The same with a real router and a real Envoy is among the end-to-end tests.
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromWorker, noWorker, playDemo } from "./demo_stage.ts";

Deno.test("the same burst with parking off and on: the table, and exit 0", async () => {
  const run = await playDemo({});
  assertEquals([run.code, run.left], [0, false], run.text);
  const steps = run.text.split("\n").filter((line) => /^\d\/4 /.test(line));
  assertEquals(steps.map((line) => line.replace(/\d+\.\d+\.\d+\.\d+:\d+ \.+/, "…")), [
    "1/4 control plane with 3 workers and 12 actors ........... ready",
    "2/4 router on … ready",
    "3/4 Envoy on http://… ready",
    "4/4 burst: 60 requests for 12 actors over 3 workers",
  ]);
  assert(/parking off +15 +45 +0 /.test(run.text), run.text);
  assert(/parking on +60 +0 +0 .* 45 +0\n/.test(run.text), run.text);
  assertStringIncludes(run.text, "a 503 said: actor a1 unavailable: no free workers available");
  assertStringIncludes(run.text, "try it: curl -H 'Host: a1.demo.x.example' http://127.0.0.1:");
});

Deno.test("the two routers differ in the lot alone, and the second takes the first one's port", async () => {
  const { routers } = await playDemo({});
  assertEquals(routers.map((one) => one.parkedRequestMax), [0, 1024]);
  assertEquals(routers[0]?.portExtproc, 0);
  assert((routers[1]?.portExtproc ?? 0) > 0);
  const rest = routers.map((one) => ({
    ...one,
    parkedRequestMax: 0,
    portExtproc: 0,
    statusPort: 0,
  }));
  assertEquals(rest[0], rest[1]);
});

Deno.test("a table that does not show what parking is for is exit 1, and says why", async () => {
  const rows: [answer: (nth: number, lot: number) => Response, why: string][] = [
    [() => fromWorker(), "no request got 503 with parking off"],
    [
      (nth, lot) => nth <= (lot === 0 ? 45 : 2) ? noWorker() : fromWorker(),
      "2 requests got 503 with parking on",
    ],
    [
      (nth, lot) => lot > 0 && nth === 1 ? Response.json({ here: false }) : noWorker(),
      '1 requests ended otherwise with parking on: 200 {"here":false}',
    ],
  ];
  for (const [answer, why] of rows) {
    const { code, text, left } = await playDemo({ answer });
    assertEquals([code, left], [1, false], text);
    assertStringIncludes(text, `demo: ${why}\n`);
  }
});

Deno.test("without an Envoy the demo says what to do and ends with 1", async () => {
  const run = await playDemo({
    findEnvoy: (progress) => {
      progress("fetching it, once");
      return Promise.reject(new Error("Cannot install Envoy: no network. Set ENVOY_BIN"));
    },
  });
  assertEquals([run.code, run.left], [1, false]);
  assertStringIncludes(run.text, "    fetching it, once\n");
  assertStringIncludes(run.text, "demo: Cannot install Envoy: no network. Set ENVOY_BIN\n");
});

Deno.test("a router that cannot be started, the first or the second, ends the demo with 1", async () => {
  for (const bad of [1, 2]) {
    const run = await playDemo({
      onRouter: (nth) => {
        if (nth === bad) throw new Error("Cannot listen as a router: 127.0.0.1:1");
      },
    });
    assertEquals([run.code, run.left], [1, false]);
    assertStringIncludes(run.text, "demo: Cannot listen as a router: 127.0.0.1:1\n");
    assert(!run.text.includes("try it"), run.text);
  }
});

Deno.test("what cannot be stopped is said; the rest is stopped all the same", async () => {
  let stops = 0;
  const run = await playDemo({
    stopRouter: () => {
      stops++;
      return stops === 1 ? Promise.resolve() : Promise.reject(new Error("stuck"));
    },
  });
  assertEquals([run.code, run.left, stops], [0, false, 2]);
  assertStringIncludes(run.text, "demo: Cannot stop the router: stuck\n");
});

Deno.test("Ctrl-C before the table ends the demo with 1, in the burst and while looking for Envoy", async () => {
  const inBurst = new AbortController();
  const burst = await playDemo({
    answer: (nth) => {
      if (nth === 30) inBurst.abort();
      return noWorker();
    },
  }, inBurst);
  assertEquals([burst.code, burst.left], [1, false], burst.text);
  assert(burst.text.endsWith("stopping\n"), burst.text);

  const looking = new AbortController();
  const search = await playDemo({
    findEnvoy: (_, signal) =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
        looking.abort();
      }),
  }, looking);
  assertEquals([search.code, search.left], [1, false]);
  assert(!search.text.includes("demo:"), search.text);
});

Deno.test("Ctrl-C also ends a search for Envoy that does not heed it", async () => {
  const stop = new AbortController();
  const never = Promise.withResolvers<string>();
  const run = await playDemo({
    findEnvoy: () => {
      stop.abort();
      return never.promise;
    },
  }, stop);
  assertEquals([run.code, run.left], [1, false]);
  never.resolve("");
});

Deno.test("with --stay everything is up after the table until Ctrl-C, and the table's code counts", async () => {
  for (const [answer, code] of [[undefined, 0], [noWorker, 1]] as const) {
    const stop = new AbortController();
    const stopped: boolean[] = [];
    const run = await playDemo({
      stay: true,
      ...(answer === undefined ? {} : { answer }),
      stopRouter: () => {
        stopped.push(stop.signal.aborted);
        return Promise.resolve();
      },
      onText: (text) => {
        if (text.includes("stays up")) stop.abort();
      },
    }, stop);
    assertEquals([run.code, run.left], [code, false], run.text);
    assertEquals(stopped, [false, true], "the second router goes after the signal");
    assertStringIncludes(run.text, "(everything stays up until Ctrl-C)\nstopping\n");
  }
});
