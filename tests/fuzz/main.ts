// `deno task fuzz [seconds] [target ...]`: the fuzz targets for longer than a build machine gives them,
// 600 s each unless said otherwise. A target is named by its file: `host`, `h2_frames`, … SEED=
// replays. Exit code: that of the tests, 2 for words that are not understood.
const HERE = new URL(".", import.meta.url).pathname;
const SUFFIX = "_fuzz_test.ts";
const SECONDS = 600;

/** Names of all targets. */
function targets(): string[] {
  return [...Deno.readDirSync(HERE)].map(({ name }) => name).sort()
    .flatMap((name) => name.endsWith(SUFFIX) ? [name.slice(0, -SUFFIX.length)] : []);
}

async function main(words: readonly string[]): Promise<number> {
  const [first = ""] = words;
  const seconds = /^[1-9]\d*$/.test(first) ? Number(first) : undefined;
  const named = seconds === undefined ? words : words.slice(1);
  const all = targets();
  const unknown = named.filter((name) => !all.includes(name));
  if (unknown.length > 0) {
    console.error(`Cannot fuzz as a target: ${unknown.join(", ")}. There are ${all.join(", ")}`);
    return 2;
  }
  const files = (named.length > 0 ? named : all).map((name) => `${HERE}${name}${SUFFIX}`);
  const { code } = await new Deno.Command(Deno.execPath(), {
    args: ["test", "-A", "--no-check", "--parallel", ...files],
    env: { FUZZ_SECONDS: String(seconds ?? SECONDS) },
    stdin: "null",
  }).spawn().status;
  return code;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
