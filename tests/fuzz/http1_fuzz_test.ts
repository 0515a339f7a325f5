// Fuzz target: what a client may send to the status and metrics ports, cut anywhere, with silence, an end
// or a reset behind it. Whatever comes: one answer or none, whole, and the connection ends in bounded
// time. See _loop.ts. deno test -A tests/fuzz/http1_fuzz_test.ts
import { assert, assertEquals } from "@std/assert";
import { HttpConnection } from "../../src/http1/connection.ts";
import type { HttpRequest } from "../../src/http1/head.ts";
import { HTTP_LIMITS } from "../../src/http1/limits.ts";
import { plainReply } from "../../src/http1/reply.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { settleSoon } from "../h2/_pipe.ts";
import { concat } from "../wire/support/bytes.ts";
import { Random } from "../wire/support/random.ts";
import { changedTalk } from "./_change.ts";
import { Input } from "./_input.ts";
import { fuzz } from "./_loop.ts";

const PIECES = [
  ...[
    "GET ",
    "HEAD ",
    "POST ",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "/statusz",
    "/",
    "*",
    "?a=b&",
    "#",
  ],
  ...[" HTTP/1.1", " HTTP/1.0", " HTTP/9", "\r\n", "\n", "\r", "\r\n\r\n", "\n\n", "host: x", ": "],
  ...[
    "Content-Length: 9999999999",
    "transfer-encoding: chunked",
    "\r\n folded",
    "http://[::1",
    "%zz",
  ],
  ...[
    "\0",
    "\u00ff",
    "\t",
    " ",
    "a".repeat(300),
    "GET / HTTP/1.1\r\n\r\n",
    "accept: application/json\r\n",
  ],
];
const ANSWER = /^HTTP\/1\.1 (200|400|405|431|505) [A-Za-z ]+\r\n([\s\S]*?)\r\n\r\n([\s\S]*)$/;

/** A socket in memory: reads what it is given, keeps what is written. */
class FakeSocket {
  written = "";
  closes = 0;
  #chunks: Uint8Array[];
  readonly #silentAfter: boolean;
  #waiting: ((error: Error) => void) | undefined;

  /** `silentAfter`: the client sends nothing more, and does not leave either. */
  constructor(chunks: Uint8Array[], silentAfter: boolean) {
    this.#chunks = chunks;
    this.#silentAfter = silentAfter;
  }

  read(into: Uint8Array): Promise<number | null> {
    if (this.closes > 0) return Promise.reject(new Error("closed here"));
    const chunk = this.#chunks.shift();
    if (chunk === undefined && this.#silentAfter) {
      return new Promise((_, reject) => this.#waiting = reject);
    }
    if (chunk === undefined) return Promise.resolve(null);
    const part = chunk.subarray(0, into.length);
    into.set(part);
    if (part.length < chunk.length) this.#chunks.unshift(chunk.subarray(part.length));
    return Promise.resolve(part.length);
  }

  write(bytes: Uint8Array): Promise<number> {
    if (this.closes > 0) return Promise.reject(new Error("closed here"));
    const count = Math.max(1, Math.floor(bytes.length / 2));
    this.written += String.fromCharCode(...bytes.subarray(0, count));
    return Promise.resolve(count);
  }

  closeWrite(): Promise<void> {
    return Promise.resolve();
  }

  close(): void {
    this.closes++;
    this.#waiting?.(new Error("closed here"));
  }
}

function page(request: HttpRequest) {
  assert(/^(?:\/[\x21-\x7e]*|\*)$/.test(request.path), `path: ${request.path}`);
  assert(!/[?#]/.test(request.path), request.path);
  for (const [name, value] of request.headers) assert(!/[\r\n]/.test(name + value), name);
  const known = request.method === "GET" || request.method === "HEAD";
  return known
    ? plainReply(200, `${request.path}\n`)
    : plainReply(405, "no\n", { allow: "GET, HEAD" });
}

/** @returns the status, or undefined when nothing was written. */
function statusOf(written: string, headOnly: boolean): number | undefined {
  if (written === "") return undefined;
  const [, status, lines = "", body = ""] = ANSWER.exec(written) ?? [];
  assert(status !== undefined, `not one answer: ${JSON.stringify(written.slice(0, 300))}`);
  const length = Number(/content-length: (\d+)/.exec(lines)?.[1]);
  assertEquals(body.length, headOnly ? 0 : length, written);
  assert(lines.endsWith("connection: close"), lines);
  return Number(status);
}

async function run({ seed, parts }: Input): Promise<string> {
  const random = new Random(seed);
  const clock = new FakeClock();
  const whole = concat(...parts);
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < whole.length;) {
    const end = at + 1 + random.below(random.oneIn(3) ? 10 : 5_000);
    chunks.push(whole.subarray(at, end));
    at = end;
  }
  const socket = new FakeSocket(chunks, random.oneIn(3));
  let asked: HttpRequest | undefined;
  let closed = 0;
  const connection = new HttpConnection(socket as unknown as Deno.Conn, {
    clock,
    limits: HTTP_LIMITS,
    answer: (request) => {
      asked = request;
      return Promise.resolve(page(request));
    },
    mayWrite: () => true,
    closed: () => closed++,
  });
  let ended = false;
  const running = connection.run().then(() => ended = true);
  // Every bound in a row, each time as far as it goes.
  const { headMs, writeMs, lingerMs } = HTTP_LIMITS;
  for (let turns = 0; turns < 2_000 && !ended && turns < chunks.length + 40; turns++) {
    await settleSoon();
  }
  for (const ms of [headMs, writeMs, lingerMs]) {
    clock.advance(ms);
    await settleSoon();
  }
  await running;
  assertEquals([socket.closes, closed, clock.armed], [1, 1, 0]);
  const status = statusOf(socket.written, asked?.method === "HEAD");
  if (status === undefined) return "no answer";
  return status === 200 ? "answered" : "refused";
}

function latin1(text: string): Uint8Array {
  return Uint8Array.from(text, (char) => char.charCodeAt(0));
}

function candidate(random: Random): Input {
  const some = Array.from({ length: 1 + random.below(12) }, () => latin1(random.pick(PIECES)));
  const parts = random.oneIn(2) ? [latin1("GET /statusz HTTP/1.1\r\n"), ...some] : some;
  return new Input(random.next(), random.oneIn(2) ? [...parts, latin1("\r\n\r\n")] : parts);
}

Deno.test("fuzz: whatever a client sends to a page server, it gets one answer or none", () =>
  fuzz({
    name: "http1",
    form: "talk",
    fresh: candidate,
    changed: (random, talk, other) => changedTalk(random, talk, other),
    run,
    outcomes: ["answered", "refused", "no answer"],
    breeds: ["answered"],
  }));
