// `serve --demo` as a person runs it: real router, real Envoy, exit code and table; and Ctrl-C in its
// middle, after which nothing of it runs or listens.
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { envoyBinary } from "../support/envoy.ts";

const MAIN = new URL("../../main.ts", import.meta.url).pathname;
/** Bound on the whole demonstration; it takes about six seconds. */
const BOUND_MS = 60_000;

interface Ended {
  readonly code: number;
  readonly text: string;
}

/** Runs the demonstration; `onText` sees what it has written so far. */
async function demo(
  flags: readonly string[],
  onText: (text: string, child: Deno.ChildProcess) => void = () => {},
): Promise<Ended> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", MAIN, "serve", "--demo", ...flags],
    env: { ENVOY_BIN: await envoyBinary() },
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const bound = setTimeout(() => child.kill("SIGKILL"), BOUND_MS);
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of child.stdout) {
    text += decoder.decode(chunk, { stream: true });
    onText(text, child);
  }
  const { code } = await child.status;
  clearTimeout(bound);
  return { code, text };
}

/** The port of Envoy, as the demonstration says it. */
function envoyPort(text: string): number {
  return Number(/Envoy on http:\/\/127\.0\.0\.1:(\d+) /.exec(text)?.[1]);
}

async function answers(port: number): Promise<boolean> {
  try {
    (await Deno.connect({ hostname: "127.0.0.1", port })).close();
    return true;
  } catch {
    return false;
  }
}

Deno.test("serve --demo shows 503s with parking off and none with parking on, and exits 0", async () => {
  const { code, text } = await demo([]);
  assertEquals(code, 0, text);
  assertMatch(text, /parking off +\d+ +[1-9]\d* +0 /);
  assertMatch(text, /parking on +60 +0 +0 .* [1-9]\d* +1[2-9]\n/);
  assertStringIncludes(text, "unavailable: no free workers available");
  assertMatch(text, /parking on: \d+ of 60 answered, [1-9]\d* parked/);
  assert(!await answers(envoyPort(text)), "Envoy still listens");
});

Deno.test("Ctrl-C in the middle of the burst ends the demonstration with 1 and leaves nothing", async () => {
  let sent = false;
  const { code, text } = await demo(["--stay"], (soFar, child) => {
    if (sent || !soFar.includes("parking on:")) return;
    sent = true;
    child.kill("SIGINT");
  });
  assertEquals(code, 1, text);
  assert(text.endsWith("stopping\n"), text);
  assert(!await answers(envoyPort(text)), "Envoy still listens");
});
