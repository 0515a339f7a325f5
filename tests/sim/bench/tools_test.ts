// What the benchmarks read: the printed results of h2load and wrk, and the files of /proc.
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { parseH2load } from "../../../bench/lib/h2load.ts";
import { cpuMs, memory, parseCpuMs, parseMemory } from "../../../bench/lib/process_stats.ts";
import { runTool, toMs } from "../../../bench/lib/tool.ts";
import { parseWrk } from "../../../bench/lib/wrk.ts";

const WRK = `Running 1s test @ http://127.0.0.1:18999/
  1 threads and 4 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   262.54us  717.09us   8.07ms   93.40%
    Req/Sec    34.47k     6.76k   45.38k    70.00%
  Latency Distribution
     50%   74.00us
     75%  107.00us
     90%  287.00us
     99%    3.91ms
  34252 requests in 1.00s, 3.97MB read
  Non-2xx or 3xx responses: 11418
Requests/sec:  34239.37
Transfer/sec:      3.97MB
`;

Deno.test("wrk's result is read, with what failed", () => {
  assertEquals(parseWrk(WRK), {
    requests: 34_252,
    requestsPerSecond: 34_239.37,
    p50Ms: 0.074,
    p99Ms: 3.91,
    failed: 11_418,
  });
  const errors = "  Socket errors: connect 1, read 2, write 3, timeout 4\n";
  assertEquals(parseWrk(WRK + errors).failed, 11_428);
  const clean = WRK.replace(/ {2}Non.*\n/, "");
  assertEquals(parseWrk(clean).failed, 0);
  assertThrows(() => parseWrk("nothing"), Error, "Cannot find in the output");
});

const H2LOAD = `starting benchmark...
finished in 2.85s, 3508.61 req/s, 212.12KB/s
requests: 10000 total, 10000 started, 9995 done, 9990 succeeded, 10 failed, 5 errored, 0 timeout
status codes: 9990 2xx, 0 3xx, 0 4xx, 5 5xx
traffic: 604.62KB (619131) total, 196.75KB (201472) headers (space savings 91.31%)
`;

Deno.test("h2load's result is read; whatever is not 2xx has failed", () => {
  const rated = { requestsPerSecond: 3508.61, succeeded: 9990, failed: 10 };
  const log = "1796025600000000\t200\t310\n1796025600000001\t200\t2500\n";
  assertEquals(parseH2load(H2LOAD, 10_000, log), { ...rated, p50Ms: 0.31, p99Ms: 2.5 });
  assertThrows(() => parseH2load("", 1, log), Error, "Cannot find in the output");
});

Deno.test("times with units become ms", () => {
  const rows: [text: string, ms: number][] = [
    ["310us", 0.31],
    ["1.24ms", 1.24],
    ["2s", 2_000],
    ["1.5m", 90_000],
  ];
  for (const [text, ms] of rows) assertEquals(toMs(text), ms);
  for (const text of ["", "5", "5h", "ms", "1.2.3 ms"]) {
    assertThrows(() => toMs(text), Error, `Cannot read as a time: ${text}`);
  }
});

Deno.test("CPU time is user + system in ms, whatever the process is called", () => {
  const fields = "S 1 2 3 4 5 6 7 8 9 10 120 30 0 0 20 0";
  for (const name of ["deno", "a b", "x) y", "((("]) {
    assertEquals(parseCpuMs(`4242 (${name}) ${fields}`), 1_500);
  }
});

Deno.test("memory is RSS and its peak; a process that has ended has none", () => {
  const status = "Name:\tdeno\nVmHWM:\t  50000 kB\nVmRSS:\t  48000 kB\nThreads:\t7\n";
  assertEquals(parseMemory(status), { rssKib: 48_000, peakKib: 50_000 });
  assertThrows(() => parseMemory("Name:\tdeno\nState:\tZ (zombie)\n"), Error, "no VmRSS");
});

Deno.test({
  name: "this process has CPU time and memory",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const { rssKib, peakKib } = await memory(Deno.pid);
    assert(rssKib > 10_000 && peakKib >= rssKib, `${rssKib} ${peakKib}`);
    const before = await cpuMs(Deno.pid);
    for (const endMs = performance.now() + 100; performance.now() < endMs;);
    assert(await cpuMs(Deno.pid) > before);
  },
});

Deno.test("a load generator that is missing is named with its package; one that fails is quoted", async () => {
  await assertRejects(
    () => runTool("no-such-program-here", "some-package", []),
    Error,
    "no-such-program-here (Debian package some-package)",
  );
  const failing = ["eval", 'console.log("so far"); console.error("bad"); Deno.exit(7)'];
  const error = await assertRejects(() => runTool(Deno.execPath(), "deno", failing), Error);
  for (const part of ["ended with 7", "so far", "bad"]) assert(error.message.includes(part), part);
  assertEquals(await runTool(Deno.execPath(), "deno", ["eval", 'console.log("x")']), "x\n");
});
