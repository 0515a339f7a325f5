// Words, files and documents of somebody else never steer the terminal they are shown on.
import { assertEquals } from "@std/assert";
import { harmless, harmlessJson, isHarmless } from "../../src/cli/harmless.ts";
import { call } from "./fake_io.ts";
import { snapshot } from "./support/snapshot.ts";

/** Clears a screen, sets a title, turns text around, breaks a line. */
const HOSTILE = ["\u001b[2J", "\u001b]0;x\u0007", "\u009b2J", "\u202ex", "\u2066x", "\u2028x"];
const URL_DEFAULT = "http://127.0.0.1:4040/statusz?format=json";

Deno.test("harmless() replaces what steers and keeps every other character", () => {
  assertEquals(harmless("a\u001b[2J\u202eb\u2028\n"), "a?[2J?b??");
  assertEquals(harmless("gr\u00fc\u00df \u{1f600} \u65e5"), "gr\u00fc\u00df \u{1f600} \u65e5");
  for (const text of HOSTILE) {
    assertEquals([isHarmless(text), isHarmless(harmless(text))], [false, true]);
  }
  assertEquals(isHarmless("plain"), true);
});

Deno.test("harmlessJson() writes the same value without such a character", () => {
  const value = { [HOSTILE[2]!]: HOSTILE, nested: [{ a: "\u007f\n" }] };
  const text = harmlessJson(value);
  assertEquals(JSON.parse(text), value);
  assertEquals(text.split("\n").every(isHarmless), true);
  assertEquals(harmlessJson({ a: ["b", 1] }), '{\n  "a": [\n    "b",\n    1\n  ]\n}\n');
});

Deno.test("a document of somebody else's stays as it came, but for a terminal", async () => {
  const document = { ...snapshot(), host: "\u009b2J\u202ex" };
  const body = JSON.stringify(document, undefined, "\t").replaceAll("\n", "\r\n");
  const replies = { [URL_DEFAULT]: { status: 200, contentType: "application/json", body } };
  const piped = await call(["status", "--json"], { replies });
  assertEquals(piped.stdout, `${body}\n`);
  const shown = await call(["status", "--json"], { replies, terminal: true });
  assertEquals(JSON.parse(shown.stdout), document);
  assertEquals(shown.stdout.split("\n").every(isHarmless), true);
});

Deno.test("no report of validate, in any format, repeats what steers a terminal", async () => {
  for (const text of HOSTILE) {
    const manifest = JSON.stringify({
      kind: "Pod",
      metadata: { name: text },
      spec: { containers: [{ name: "atenet-router", args: ["serve", `--${text}`, text] }] },
    });
    for (const format of ["text", "json", "github", "sarif"]) {
      for (const words of [["--manifest=m"], [`--${text}`, text], [`--actor-domain=${text}`]]) {
        const { stdout, stderr } = await call(["validate", `--format=${format}`, ...words], {
          files: { m: manifest },
        });
        const lines = `${stdout}${stderr}`.split("\n");
        assertEquals(lines.filter((line) => !isHarmless(line)), [], `${format} ${words}`);
      }
    }
  }
});

Deno.test("status shows a document from another machine harmlessly, or says that it is not whole", async () => {
  const whole = snapshot();
  const hostile = JSON.stringify({
    ...whole,
    state: HOSTILE[0],
    summary: { ...whole.summary, text: HOSTILE.join(" ") },
    health: { healthy: false, problems: HOSTILE },
  });
  const answering = (body: string) => ({
    replies: { [URL_DEFAULT]: { status: 200, contentType: "application/json", body } },
  });
  const { code, stdout } = await call(["status"], answering(hostile));
  assertEquals([code, stdout.split("\n").every(isHarmless)], [1, true]);
  const broken = [{ parking: null }, { health: undefined }, { state: 5 }, { queries: "x" }];
  const bodies = broken.map((part) => JSON.stringify({ ...whole, ...part }));
  for (const body of [...bodies, '{"name":"atenet-router","schema":1}']) {
    const { code, stdout, stderr } = await call(["status"], answering(body));
    assertEquals([code, stdout], [3, ""], body);
    assertEquals(stderr.includes("its status document is not whole"), true, stderr);
  }
});
