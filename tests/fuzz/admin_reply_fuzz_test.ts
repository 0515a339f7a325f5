// Fuzz target: what answers where Envoy's admin interface, or a router's status port, should be. Whatever
// it is: an answer that is no longer than what came, or an error. See _loop.ts.
import { assert } from "@std/assert";
import { parseReply } from "../../src/envoy/admin_reply.ts";
import type { Random } from "../wire/support/random.ts";
import { changedText } from "./_change.ts";
import { Input } from "./_input.ts";
import { fuzz } from "./_loop.ts";

const PIECES = [
  ...[
    "HTTP/1.1 200 OK\r\n",
    "HTTP/1.0 503 X\r\n",
    "HTTP/1.1 204 \r\n",
    "HTTP/2 200\r\n",
    "\r\n",
    "\n",
  ],
  ...[
    "content-length: 5\r\n",
    "content-length: -1\r\n",
    "Content-Type: a/b\r\n",
    "content-type: \0\r\n",
  ],
  ...[
    "transfer-encoding: chunked\r\n",
    "Transfer-Encoding:gzip, chunked\r\n",
    "0\r\n\r\n",
    "5\r\nhello\r\n",
  ],
  ...["-6\r\n", "ffffffff\r\n", "1;x\r\n", " 1\r\n", "\u00ff", "0", "-", "x: y\r\n"],
];

async function run({ text }: Input): Promise<string> {
  const bytes = Uint8Array.from(text, (char) => char.charCodeAt(0));
  let reply: Response;
  try {
    reply = parseReply(bytes);
  } catch (error) {
    assert(error instanceof Error);
    return "refused";
  }
  assert(reply.status >= 200 && reply.status <= 599, `status ${reply.status}`);
  const body = await reply.bytes();
  assert(body.length <= bytes.length, `${body.length} bytes out of ${bytes.length}`);
  return "read";
}

function candidate(random: Random): string {
  const lines = Array.from({ length: random.below(5) }, () => random.pick(PIECES)).join("");
  const body = Array.from({ length: random.below(6) }, () => random.pick(PIECES)).join("");
  return `${random.pick(PIECES.slice(0, 3))}${lines}\r\n${body}`;
}

Deno.test("fuzz: whatever answers where Envoy should, it is read or refused", () =>
  fuzz({
    name: "admin_reply",
    form: "text",
    fresh: (random) => Input.text(candidate(random)),
    changed: (random, { text }, other) => Input.text(changedText(random, text, other.text, PIECES)),
    run,
    outcomes: ["read", "refused"],
    breeds: ["read"],
  }));
