// Fuzz target: what answers `status` where a router should: any document, whole, damaged or hostile.
// Whatever it is: an exit code, no throw, and nothing on the terminal that could steer it. See
// _loop.ts. deno test -A tests/fuzz/status_fuzz_test.ts
import { assert } from "@std/assert";
import { call } from "../cli/fake_io.ts";
import { snapshot } from "../cli/support/snapshot.ts";
import type { Random } from "../wire/support/random.ts";
import { changedText } from "./_change.ts";
import { Input } from "./_input.ts";
import { fuzz } from "./_loop.ts";
import { checkTerminal } from "./_terminal.ts";

const URL_ASKED = "http://127.0.0.1:4040/statusz?format=json";
const HOST = "a1.demo.actors.resources.substrate.ate.dev";
const WHOLE = JSON.stringify(snapshot());
const VALUES = [
  ...["null", "true", "0", "-1", "1e308", '""', "[]", "{}", "[null]", '"\\u001b[2J"', '"\\u202e"'],
  ...['"x"', "[[]]", '{"a":1}', "1.5", '"\\u0000"', '"__proto__"'],
];
const PIECES = [
  ...VALUES,
  ...["{", "}", "[", "]", ",", ":", '"', "\\", '{"name":"atenet-router","schema":1}', "<html>"],
  ...Object.keys(snapshot()).map((key) => `"${key}":`),
];

async function run({ text: body }: Input): Promise<string> {
  const world = { replies: { [URL_ASKED]: { status: 200, contentType: "text/html", body } } };
  const codes = await Promise.all([["status"], ["status", "--explain", HOST]].map(async (args) => {
    const { code, stdout, stderr } = await call(args, world);
    checkTerminal(stdout + stderr);
    assert([0, 1, 3].includes(code), `exit code ${code}`);
    return code;
  }));
  return codes.every((code) => code === 3) ? "not a router" : "a router";
}

/** Replaces values in any place of a document. */
function candidate(random: Random): string {
  const root = JSON.parse(WHOLE);
  for (let count = random.below(4); count > 0; count--) {
    let holder = root;
    for (;;) {
      const key = random.pick(Object.keys(holder));
      const inner = holder[key];
      const deeper = inner !== null && typeof inner === "object" && Object.keys(inner).length > 0;
      if (deeper && !random.oneIn(3)) holder = inner;
      else {
        holder[key] = JSON.parse(random.pick(VALUES));
        break;
      }
    }
  }
  return JSON.stringify(root);
}

Deno.test("fuzz: whatever answers status, it ends in an exit code and steers no terminal", () =>
  fuzz({
    name: "status",
    form: "text",
    fresh: (random) => Input.text(candidate(random)),
    changed: (random, { text }, other) => Input.text(changedText(random, text, other.text, PIECES)),
    run,
    outcomes: ["a router", "not a router"],
    breeds: ["a router"],
  }));
