// What the benchmarks read of other programs: wrk, h2load, /proc, and the router's own answers.
import { assertEquals, assertThrows } from "@std/assert";
import { parseH2load } from "../../bench/lib/h2load.ts";
import {
  cpuMs,
  memory,
  parseCpuMs,
  parseMemory,
  parseStarvedMs,
  starvedMs,
} from "../../bench/lib/process_stats.ts";
import { verdictKind } from "../../bench/lib/verdict_kind.ts";
import { parseWrk } from "../../bench/lib/wrk.ts";
import { encodeContinue, encodeImmediate, encodeMutation } from "../../src/wire/ext_proc_reply.ts";

const WRK = `Running 15s test @ http://127.0.0.1:42795/
  1 threads and 64 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   144.79ms  282.47ms   1.93s    93.34%
    Req/Sec     1.26k     1.05k    3.97k    70.54%
  Latency Distribution
     50%   46.24ms
     75%  120.19ms
     90%  301.01ms
     99%    1.54s 
  14788 requests in 15.01s, 3.10MB read
Requests/sec:    985.12
Transfer/sec:    211.65KB
`;

Deno.test("wrk: requests, rate and percentiles in any unit", () => {
  assertEquals(parseWrk(WRK), {
    requests: 14788,
    requestsPerSecond: 985.12,
    p50Ms: 46.24,
    p99Ms: 1540,
    failed: 0,
  });
  const fast = WRK.replace("46.24ms", "310.00us").replace("1.54s ", "2.00m");
  assertEquals([parseWrk(fast).p50Ms, parseWrk(fast).p99Ms], [0.31, 120_000]);
});

Deno.test("wrk: bad answers and socket errors are failures", () => {
  const bad = WRK.replace(
    "Requests/sec",
    "  Socket errors: connect 1, read 2, write 3, timeout 4\n" +
      "  Non-2xx or 3xx responses: 30\nRequests/sec",
  );
  assertEquals(parseWrk(bad).failed, 40);
});

Deno.test("wrk: output of another shape is refused, not read as 0", () => {
  assertThrows(() => parseWrk("wrk: unable to connect"), Error, "Cannot find in the output");
});

Deno.test("h2load: rate and percentiles, and as failed whatever was not answered with 2xx", () => {
  const printed = "finished in 1.21s, 82644.63 req/s, 4.10MB/s\n" +
    "requests: 1000 total, 1000 started, 999 done, 990 succeeded, 10 failed\n" +
    "status codes: 990 2xx, 0 3xx, 0 4xx, 5 5xx\n";
  // The last one was not answered: how long that took is nobody's wait.
  const times = Array.from({ length: 200 }, (_, i) => `1796025600000000\t200\t${(200 - i) * 10}`);
  const log = [...times, "1796025600000000\t-1\t9000000", ""].join("\n");
  assertEquals(parseH2load(printed, 1_000, log), {
    requestsPerSecond: 82644.63,
    succeeded: 990,
    failed: 10,
    p50Ms: 1,
    p99Ms: 1.98,
  });
});

Deno.test("/proc: CPU time of a process whatever its name, and its memory", async () => {
  const stat = "12 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 250 50 0 0 20";
  assertEquals(parseCpuMs(stat), 3_000);
  const status = "Name:\tdeno\nVmHWM:\t  2048 kB\nVmRSS:\t  1024 kB\n";
  assertEquals(parseMemory(status), { rssKib: 1024, peakKib: 2048 });
  assertThrows(() => parseMemory("Name:\tzombie\n"), Error, "no VmRSS");
  assertEquals(await cpuMs(Deno.pid) > 0, true);
  assertEquals((await memory(Deno.pid)).rssKib > 1_000, true);
});

Deno.test("/proc: how long a process was ready to run and had no CPU", async () => {
  assertEquals(parseStarvedMs("44097087 68452304 108\n"), 68.452304);
  assertThrows(() => parseStarvedMs("0"), Error, "scheduler statistics: 0");
  const before = await starvedMs(Deno.pid);
  assertEquals(await starvedMs(Deno.pid) >= before, true);
});

Deno.test("the load generator tells the kinds of verdict apart", () => {
  const metadata = {
    outcome: "ok",
    park: "served",
    parkedMs: 1,
    attempts: 300,
    worker: "10.0.0.1:80",
  };
  const parts = { httpStatus: 503, headers: [], body: "", grpcStatus: 14, details: "shed" };
  const rows = [
    [encodeMutation("10.0.0.1:80", metadata), "routed"],
    [encodeContinue(metadata), "routed"],
    [encodeImmediate(parts, metadata), "denied"],
    [new Uint8Array(), undefined],
    // response_trailers: an answer that is no verdict.
    [Uint8Array.of(6 << 3 | 2, 0), undefined],
  ] as const;
  for (const [message, kind] of rows) {
    const frame = new Uint8Array(5 + message.length);
    frame.set(message, 5);
    assertEquals(verdictKind(frame), kind);
  }
});
