// A real Prometheus (Debian package) that scrapes one target every second, and promtool. Tests that
// need them say so and are skipped where the package is not installed.

/** Path of a program on PATH. */
export function onPath(program: string): string | undefined {
  for (const folder of (Deno.env.get("PATH") ?? "").split(":")) {
    const path = `${folder}/${program}`;
    try {
      if (Deno.statSync(path).isFile) return path;
    } catch {
      // Not there.
    }
  }
  return undefined;
}

/** True, with a printed line, when `program` is missing and the test cannot run. */
export function missing(program: string): boolean {
  if (onPath(program)) return false;
  console.log(`skipped: ${program} is not installed`);
  return true;
}

export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Prometheus extends AsyncDisposable {
  /** Instant query. @throws {Error} when Prometheus refuses the expression. */
  query(expression: string): Promise<Sample[]>;
  /** Asks until the first sample passes `good`, 20 s at most. */
  until(expression: string, good: (value: number) => boolean): Promise<number>;
}

/**
 * Starts one on a port of its own; `target` is `host:port` of a metrics page, `rules` the text of a
 * rule file.
 */
export async function prometheus(target: string, rules = "groups: []\n"): Promise<Prometheus> {
  const folder = await Deno.makeTempDir();
  const config = `${folder}/prometheus.yml`;
  await Deno.writeTextFile(`${folder}/rules.yml`, rules);
  await Deno.writeTextFile(
    config,
    `global: {scrape_interval: 1s, evaluation_interval: 1s}
rule_files: [rules.yml]
scrape_configs: [{job_name: router, static_configs: [{targets: ["${target}"]}]}]
`,
  );
  const child = new Deno.Command(onPath("prometheus") ?? "prometheus", {
    args: [
      `--config.file=${config}`,
      `--storage.tsdb.path=${folder}/data`,
      "--web.listen-address=127.0.0.1:0",
    ],
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const { address, rest } = await listening(child.stderr);
  const ask = (expression: string) => query(address, expression);
  return {
    query: ask,
    until: (expression, good) => until(ask, expression, good),
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGTERM");
      await child.status;
      await rest;
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** Reads the log up to the line that names the address; the rest is drained. */
async function listening(
  stderr: ReadableStream<Uint8Array>,
): Promise<{ address: string; rest: Promise<void> }> {
  let log = "";
  const reader = stderr.pipeThrough(new TextDecoderStream()).getReader();
  while (true) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`Cannot start as Prometheus: ${log}`);
    log += value;
    const address = /Listening on"? address=(\S+)/.exec(log)?.[1];
    if (address) return { address, rest: drain(reader) };
  }
}

async function drain(reader: ReadableStreamDefaultReader<string>): Promise<void> {
  while (!(await reader.read()).done);
}

async function query(address: string, expression: string): Promise<Sample[]> {
  const url = `http://${address}/api/v1/query?query=${encodeURIComponent(expression)}`;
  const answer = await (await fetch(url)).json();
  if (answer.status !== "success") throw new Error(`Cannot query as PromQL: ${answer.error}`);
  return answer.data.result.map((
    { metric, value }: { metric: Record<string, string>; value: [number, string] },
  ) => ({ labels: metric, value: Number(value[1]) }));
}

async function until(
  ask: (expression: string) => Promise<Sample[]>,
  expression: string,
  good: (value: number) => boolean,
): Promise<number> {
  const endMs = performance.now() + 20_000;
  let last: Sample[] = [];
  while (performance.now() < endMs) {
    last = await ask(expression).catch(() => []);
    const value = last[0]?.value;
    if (value !== undefined && good(value)) return value;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`Cannot see as true within 20 s: ${expression}, last ${JSON.stringify(last)}`);
}
