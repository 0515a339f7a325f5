// The page and its plots say what the committed results say: `deno task bench:plots` renews them.
import { assertEquals } from "@std/assert";
import { plots } from "../../bench/lib/plots.ts";
import { withResults } from "../../bench/lib/report.ts";
import { COMPARED, readResults } from "../../bench/lib/results.ts";

const DOCS = new URL("../../docs/", import.meta.url);

Deno.test("docs/performance.md holds the figures of the results", async () => {
  const page = await Deno.readTextFile(new URL("performance.md", DOCS));
  assertEquals(withResults(page, await readResults()), page);
});

Deno.test("docs/plots are drawn from the results", async () => {
  for (const [name, svg] of Object.entries(plots(await readResults()))) {
    assertEquals(await Deno.readTextFile(new URL(`plots/${name}`, DOCS)), svg, name);
  }
});

Deno.test("every result says rate, CPU, percentiles, RSS and failures of both transports", async () => {
  const results = await readResults();
  const asked = [
    /req_per_s$/,
    /us_per_req$/,
    /p50_ms$/,
    /p99_ms$/,
    /rss_.*mib$/,
    /(failed|lost)$/,
  ];
  for (const name of COMPARED) {
    for (const [transport, medians] of Object.entries(results[name].medians)) {
      const names = Object.keys(medians);
      for (const figure of asked) {
        assertEquals(names.some((one) => figure.test(one)), true, `${name} ${transport} ${figure}`);
      }
    }
  }
});

Deno.test("every result has both transports, whole rounds and a command that repeats it", async () => {
  const results = await readResults();
  for (const name of COMPARED) {
    const { command, rounds, samples, loads } = results[name];
    assertEquals(Object.keys(samples), ["native", "grpc-js"], name);
    for (const runs of Object.values(samples)) assertEquals(runs.length, rounds, name);
    assertEquals(loads.length, 2 * rounds, name);
    assertEquals(command.startsWith(`deno task bench ${name}`), true, command);
  }
});
