// B48 through the whole program: what the shell would hand over, and what comes of it.
import { assertEquals, assertStringIncludes } from "@std/assert";
import { call, headlines } from "./fake_io.ts";

const INSECURE = "--ateapi-auth=insecure";

const REFUSED: readonly [words: string[], headline: string][] = [
  [["--parked-reqest-max=5"], "--parked-reqest-max=5 is not a flag of serve"],
  [["--parked-request-max="], "--parked-request-max= (command line) has no value"],
  [["--parked-request-max", ""], "--parked-request-max= (command line) has no value"],
  [["--drain-delay", "-1"], "--drain-delay has no value"],
  [["--drain-delay"], "--drain-delay has no value"],
  [["--port-http=1", "--port-http=2"], "--port-http is given more than once"],
  [["--no-parked-request-last-chance"], "--no-parked-request-last-chance is not a flag of serve"],
  [["stray"], "stray belongs to no flag"],
  [["--"], "-- belongs to no flag"],
  [["--parked-request-budget=5"], "--parked-request-budget=5 (command line) has no unit"],
  [
    ["--parked-request-budget=5 s"],
    "--parked-request-budget=5 s (command line) is not a duration",
  ],
  [["--drain-delay=-1s"], "--drain-delay=-1s (command line) is negative"],
  [
    ["--parked-request-max=NaN"],
    "--parked-request-max=NaN (command line) is not a plain decimal integer",
  ],
  [
    ["--parked-request-retry-factor=NaN"],
    "--parked-request-retry-factor=NaN (command line) is not a plain decimal number",
  ],
  [
    ["--parked-request-budget=NaN"],
    "--parked-request-budget=NaN (command line) is not a duration",
  ],
  [
    ["--parked-request-budget=25h"],
    "--parked-request-budget=25h (command line) is longer than 24h",
  ],
  [
    ["--parked-request-max=2147483648"],
    "--parked-request-max=2147483648 (command line) is beyond 2147483647",
  ],
  [
    ["--parked-request-last-chance=yes"],
    "--parked-request-last-chance=yes (command line) is neither true nor false",
  ],
];

Deno.test("B48: serve refuses each wrong word by name, exit 2, nothing started", async () => {
  for (const [words, headline] of REFUSED) {
    const { code, stdout, stderr, starts } = await call(["serve", INSECURE, ...words]);
    assertEquals([code, stdout, starts.length], [2, "", 0], words.join(" "));
    assertEquals(headlines(stderr), [headline]);
  }
});

Deno.test("B48: validate refuses them too; words are 2, a rule is 1", async () => {
  for (const [words, headline] of REFUSED) {
    const { code, stdout } = await call(["validate", INSECURE, ...words]);
    assertEquals(code, words[0] === "--drain-delay=-1s" ? 1 : 2, words.join(" "));
    assertEquals(headlines(stdout), [headline.replace("flag of serve", "flag of validate")]);
  }
});

Deno.test("B48: all wrong words are told at once", async () => {
  const words = ["--parked-reqest-max=5", "--drain-delay", "-1s", "stray", "--port-http=x"];
  const { code, stderr } = await call(["serve", INSECURE, ...words]);
  assertEquals(code, 2);
  assertEquals(headlines(stderr).length, 4);
  assertStringIncludes(stderr, "Did you mean --parked-request-max?");
  assertStringIncludes(stderr, "Write --drain-delay=-1s");
});

Deno.test("B48: documented units parse", async () => {
  const rows: readonly [text: string, ms: number][] = [
    ["500ms", 500],
    ["1.5s", 1_500],
    ["2m", 120_000],
    ["1h30m", 5_400_000],
  ];
  for (const [text, ms] of rows) {
    for (const words of [[`--route-timeout=${text}`], ["--route-timeout", text]]) {
      const { code, starts } = await call(["serve", INSECURE, ...words]);
      assertEquals(code, 0);
      assertEquals(starts[0]?.settings.values.routeTimeoutMs, ms);
    }
  }
});

Deno.test("an explicit empty value turns off what says so, and nothing else", async () => {
  const { stderr } = await call(["serve", INSECURE, "--status-port=", "--drain-complete-file="]);
  assertEquals(headlines(stderr).length, 2);
  for (const words of [["--envoy-admin-address="], ["--envoy-admin-address", ""]]) {
    const { code, starts } = await call(["serve", INSECURE, ...words]);
    assertEquals(code, 0);
    assertEquals(starts[0]?.settings.values.envoyAdminAddress, "");
    assertEquals(starts[0]?.options.derived.shutdown.envoyMs, 0);
  }
});
