// The benchmarks still run against the program as it is: one scenario, quick, through its command.
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";

const ROOT = new URL("../../", import.meta.url);
const MAIN = new URL("bench/main.ts", ROOT).pathname;

async function bench(...words: string[]): Promise<Deno.CommandOutput> {
  const args = ["run", "-A", "--quiet", MAIN, ...words];
  return await new Deno.Command(Deno.execPath(), { args, cwd: ROOT, stdin: "null" }).output();
}

/** Names and times of the results that are there. */
function results(): string[] {
  const dir = new URL("bench/results/", ROOT);
  return [...Deno.readDirSync(dir)].map(({ name }) => {
    const { mtime, size } = Deno.statSync(new URL(name, dir));
    return `${name} ${mtime?.getTime()} ${size}`;
  }).sort();
}

Deno.test("a quick run of a scenario prints its table and leaves no result", async () => {
  const before = results();
  const words = ["parked_memory", "--quick", "--rounds=1", "--grpc-transport=native"];
  const { code, stdout, stderr } = await bench(...words);
  const printed = new TextDecoder().decode(stdout);
  assertEquals([code, new TextDecoder().decode(stderr)], [0, ""], printed);
  assertMatch(printed, /^ {2}kib_per_parked +[\d.]+$/m);
  assertMatch(printed, /^ {2}lost +0$/m);
  const asked = ["parked_per_s", "cpu_us_per_parked", "full_req_per_s", "full_cpu_us_per_req"];
  for (const name of [...asked, "full_p50_ms", "full_p99_ms", "rss_peak_mib"]) {
    const figure = new RegExp(`^ {2}${name} +([\\d.]+)$`, "m").exec(printed)?.[1];
    assertEquals(Number(figure) > 0, true, `${name}\n${printed}`);
  }
  assertMatch(printed, /^ {2}full_failed +0$/m);
  assertEquals(results(), before);
});

Deno.test("an unknown scenario is refused with the names that there are", async () => {
  const { code, stderr } = await bench("end_to_end", "speed");
  assertEquals(code, 2);
  const said = new TextDecoder().decode(stderr);
  assertStringIncludes(said, "Cannot run as a scenario: speed");
  assertStringIncludes(said, "park_storm");
});
