// What the fuzz targets stand on: lines of a corpus, changes, making small, and the thread that writes
// an input down when its run never ends.
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { hex } from "../wire/support/bytes.ts";
import { Random } from "../wire/support/random.ts";
import { changedBytes, changedTalk, changedText } from "./_change.ts";
import { corpusOf, writeFound } from "./_corpus.ts";
import { type Form, Input, inputOf, lineOf } from "./_input.ts";
import { shrunk } from "./_shrink.ts";

const HERE = new URL(".", import.meta.url);

Deno.test("an input of every form survives its line", () => {
  const rows: [form: Form, input: Input][] = [
    ["hex", Input.bytes(Uint8Array.of(0, 127, 255))],
    ["hex", Input.bytes(new Uint8Array(0))],
    ["text", Input.text('a"\\\n\u0000\ud800 \u{1f600}')],
    ["text", Input.text("")],
    ["talk", new Input(4_294_967_295, [Uint8Array.of(1), new Uint8Array(0), Uint8Array.of(2, 3)])],
    ["talk", new Input(0, [])],
  ];
  for (const [form, input] of rows) {
    const line = lineOf(form, input, "what it is");
    assertEquals(line.includes("\n"), false);
    const { what, input: again } = inputOf(form, line);
    assertEquals([what, again.seed, again.parts], ["what it is", input.seed, input.parts]);
    assertEquals(again.text, input.text);
  }
});

Deno.test("a line that is none is refused", () => {
  const rows: [form: Form, line: string][] = [
    ["hex", '{"hex":"00"}'],
    ["hex", '{"what":"","hex":"00"}'],
    ["hex", '{"what":"x","hex":"0"}'],
    ["hex", '{"what":"x","hex":"0G"}'],
    ["hex", '{"what":"x","text":""}'],
    ["text", '{"what":"x","text":5}'],
    ["talk", '{"what":"x","seed":1}'],
    ["talk", "not JSON"],
  ];
  for (const [form, line] of rows) {
    assertThrows(() => inputOf(form, line), SyntaxError, undefined, line);
  }
});

Deno.test("every corpus belongs to a target, can be read and holds nothing twice", () => {
  const tests = [...Deno.readDirSync(HERE)].map(({ name }) => name)
    .filter((name) => name.endsWith("_fuzz_test.ts"));
  const source = tests.map((name) => Deno.readTextFileSync(new URL(name, HERE))).join("\n");
  const targets = [...source.matchAll(/(?:name: |talks\()"(\w+)",(?:\s+form: "(\w+)")?/g)]
    .map(([, name = "", form = "talk"]) => ({ name, form: form as Form }));
  const folders = [...Deno.readDirSync(new URL("corpus", HERE))].map(({ name }) => name);
  assertEquals(targets.map(({ name }) => name).sort(), folders.sort());
  for (const { name, form } of targets) {
    const lines = corpusOf(name, form).map(({ input }) => lineOf(form, input, name));
    assert(lines.length >= 10, `${name}: ${lines.length} lines`);
    assertEquals(new Set(lines).size, lines.length, name);
  }
});

Deno.test("a talk that grows keeps what it was told, and then is the same every time", () => {
  const talk = new Input(1, [], 2);
  const heard: string[] = [];
  talk.heard = (part) => heard.push(hex(part));
  for (let n = 1; talk.grows; n++) talk.add(Uint8Array.of(n));
  assertEquals([heard, talk.parts.map(hex), talk.grows], [["01", "02"], ["01", "02"], false]);
});

Deno.test("changes come from chance alone, and inputs do not grow without bound", () => {
  const run = (seed: number): string => {
    const random = new Random(seed);
    let [bytes, text, talk] = [random.bytes(20), "a1.demo", new Input(1, [random.bytes(5)])];
    for (let i = 0; i < 500; i++) {
      bytes = changedBytes(random, bytes, bytes);
      text = changedText(random, text, text, ["word", "."]);
      talk = changedTalk(random, talk, talk);
      assert(bytes.length <= 65_536 && text.length <= 16_384 && talk.parts.length <= 300);
    }
    return `${hex(bytes)} ${text} ${talk.parts.map(hex)}`;
  };
  assertEquals(run(7), run(7));
  assert(run(7) !== run(8));
});

Deno.test("what fails is made small: only what is needed stays", async () => {
  const rows: [form: Form, input: Input, needs: (input: Input) => boolean, small: Input][] = [
    [
      "hex",
      Input.bytes(Uint8Array.from({ length: 256 }, (_, i) => i)),
      ({ bytes }) => bytes.includes(7) && bytes.includes(200),
      Input.bytes(Uint8Array.of(7, 200)),
    ],
    ["text", Input.text("abc{def}ghi"), ({ text }) => text.includes("{"), Input.text("{")],
    [
      "talk",
      new Input(9, Array.from({ length: 40 }, (_, i) => Uint8Array.of(i))),
      ({ parts, seed }) => seed === 9 && parts.some(([first]) => first === 33),
      new Input(9, [Uint8Array.of(33)]),
    ],
  ];
  for (const [form, input, needs, small] of rows) {
    const found = await shrunk(form, input, (tried) => Promise.resolve(needs(tried)));
    assertEquals(lineOf(form, found, "x"), lineOf(form, small, "x"));
  }
});

Deno.test("what was found is a line for the corpus", async () => {
  const dir = await Deno.makeTempDir();
  try {
    const input = Input.text("\u001b");
    const told = writeFound("host", "text", input, "it broke\nbadly", dir);
    const [line = ""] = Deno.readTextFileSync(`${dir}/host.jsonl`).split("\n");
    assertStringIncludes(told, line);
    assertStringIncludes(told, "tests/fuzz/corpus/host/found.jsonl");
    assertEquals(inputOf("text", line).what, "it broke");
    writeFound("host", "text", Input.text("x".repeat(9_000)), "long", dir);
    assertEquals(Deno.readTextFileSync(`${dir}/host.jsonl`).trimEnd().split("\n").length, 2);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("a run that never ends is written down, and the process ends with it", async () => {
  const dir = await Deno.makeTempDir();
  try {
    const script = `
      import { Input } from ${JSON.stringify(new URL("_input.ts", HERE).href)};
      import { Watchdog } from ${JSON.stringify(new URL("_watchdog.ts", HERE).href)};
      const watchdog = await Watchdog.start("planted", "talk", 1_000, ${JSON.stringify(dir)});
      const talk = new Input(5, [Uint8Array.of(1, 2)], 1);
      watchdog.begin(talk);
      watchdog.end();
      watchdog.begin(talk);
      talk.add(Uint8Array.of(3));
      for (;;);
    `;
    await Deno.writeTextFile(`${dir}/hang.ts`, script);
    const { signal, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", `${dir}/hang.ts`],
      stdin: "null",
    }).output();
    const said = new TextDecoder().decode(stderr);
    assertEquals(signal, "SIGKILL", said);
    assertStringIncludes(said, "planted fuzz: an input does not end within 1 s");
    const { what, input } = inputOf("talk", Deno.readTextFileSync(`${dir}/planted.jsonl`));
    assertEquals([what, input.seed, input.parts.map(hex)], [
      "does not end within 1 s",
      5,
      ["0102", "03"],
    ]);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
