// Fuzz target: what answers `status` where a router should: any document, whole, damaged or hostile,
// and any answer of a server, with its status line and headers. Whatever it is: an exit code, no
// throw, and nothing on the terminal that could steer it. See _loop.ts.
// deno test -A tests/fuzz/status_fuzz_test.ts
import { assert } from "@std/assert";
import { parseReply } from "../../src/envoy/admin_reply.ts";
import type { Reply } from "../../src/cli/io.ts";
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
const LINES = [
  ...["HTTP/1.1 200 OK", "HTTP/1.0 404 \u001b]0;x\u0007", "HTTP/1.1 500", "HTTP/2 200"],
  ...["content-type: text/html", "content-type: \u001b[2J\u009b1m", "content-type: ", "server: x"],
  ...["content-length: 9", "transfer-encoding: chunked", `content-type: ${"x".repeat(2_000)}`],
];
/** Nobody else's words fill the screen. */
const COMPLAINT_CHARS_MAX = 2_000;
const CALLS = [["status"], ["status", "--explain", HOST], ["status", "--json"]];
const PIECES = [
  ...VALUES,
  ...LINES,
  "\r\n",
  ...["{", "}", "[", "]", ",", ":", '"', "\\", '{"name":"atenet-router","schema":1}', "<html>"],
  ...Object.keys(snapshot()).map((key) => `"${key}":`),
];

async function run({ text }: Input): Promise<string> {
  const answer = await answerOf(text);
  const world = { replies: { [URL_ASKED]: answer }, terminal: true, env: { NO_COLOR: "1" } };
  const codes = await Promise.all(CALLS.map(async (args) => {
    const { code, stdout, stderr } = await call(args, world);
    checkTerminal(stdout + stderr);
    assert(stderr.length <= COMPLAINT_CHARS_MAX, `${stderr.length} characters of complaint`);
    assert([0, 1, 3].includes(code), `exit code ${code}`);
    return code;
  }));
  if (codes.some((code) => code !== 3)) return "a router";
  return answer instanceof Error ? "not HTTP" : "not a router";
}

/** A text that begins like HTTP is all that came; any other one is the document. */
async function answerOf(text: string): Promise<Reply | Error> {
  if (!text.startsWith("HTTP/")) return { status: 200, contentType: "text/html", body: text };
  try {
    const response = parseReply(new TextEncoder().encode(text));
    const contentType = response.headers.get("content-type") ?? "";
    return { status: response.status, contentType, body: await response.text() };
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** A whole answer of some server: a router's document may be in it. */
function reply(random: Random): string {
  const lines = [random.pick(LINES.slice(0, 4))];
  for (let count = random.below(4); count > 0; count--) lines.push(random.pick(LINES.slice(4)));
  const body = random.oneIn(2) ? candidate(random) : random.pick(PIECES);
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
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
    fresh: (random) => Input.text(random.oneIn(2) ? candidate(random) : reply(random)),
    changed: (random, { text }, other) => Input.text(changedText(random, text, other.text, PIECES)),
    run,
    outcomes: ["a router", "not a router", "not HTTP"],
    breeds: ["a router", "not a router"],
  }));
