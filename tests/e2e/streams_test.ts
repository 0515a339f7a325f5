// What a peer can do with a stream of the real program, beyond what Envoy does: every order of
// messages, half-close and reset, over both transports. At the end all of it is counted once.
import { assert, assertEquals, assertGreaterOrEqual, assertLess } from "@std/assert";
import { otherRequestBytes, requestHeadersBytes } from "../support/ext_proc_messages.ts";
import { type PeerStack, startPeerStack, statusOf } from "../support/peer_stack.ts";
import type { PeerStream } from "../support/ext_proc_peer.ts";
import { hostOf, OK, RX, TRANSPORTS } from "../support/stack.ts";

const LONG = "30s";
/** Not a ProcessingRequest. */
const NONSENSE = Uint8Array.of(0xff, 0xff, 0xff);

function headersOf(actorId: string, more = 0) {
  const extra = Array.from({ length: more }, (_, i) => [`x-${i}`, "v"] as const);
  return requestHeadersBytes([[":authority", hostOf(actorId)], [":path", "/"], ...extra]);
}

/** The next reply in a word: the kind, or the HTTP status of an immediate response. */
async function nextWord(stream: PeerStream): Promise<string> {
  const reply = await stream.next();
  if (reply === undefined) return "nothing";
  const { response } = reply;
  if (response.case !== "immediateResponse") return String(response.case);
  return String(response.value.status?.code);
}

/** grpc-status and reset code of the end; a stream is not over before its client has ended it too. */
async function endOf(stream: PeerStream): Promise<[number | undefined, number]> {
  stream.halfClose();
  const { grpcStatus, resetCode } = await stream.end;
  return [grpcStatus, resetCode];
}

for (const transport of TRANSPORTS) {
  Deno.test(`${transport}: a stream in every order of messages, half-close and reset`, async (t) => {
    const flags = { "parked-request-budget": LONG, "grpc-transport": transport };
    await using stack = await startPeerStack({ flags });
    stack.script("warm", OK);
    stack.script("slow", { kind: "ok", resumed: true, delayMs: 700 });
    stack.script("full", RX);
    await t.step("half-close: never OK before the verdict, OK after it", () => halfClose(stack));
    await t.step("several requests and other messages: answers in order", () => several(stack));
    await t.step("nonsense and too much of it: trailers or 431, never a reset", () => bad(stack));
    await t.step("its own deadline: 504 and the word timeout", () => deadline(stack));
    await t.step("resets in every state", () => resets(stack));
    await t.step("each request is counted once, nothing is left", () => counted(stack));
  });
}

async function halfClose(stack: PeerStack): Promise<void> {
  const parked = stack.open("full");
  parked.halfClose();
  await stack.parked(1);
  assertEquals(parked.headersAtMs, undefined, "nothing leaves before the verdict");
  stack.script("full", OK);
  assertEquals(await nextWord(parked), "requestHeaders");
  assertEquals(await endOf(parked), [0, 0]);
  const answered = stack.open("warm");
  assertEquals(await nextWord(answered), "requestHeaders");
  assertEquals(await endOf(answered), [0, 0]);
  const silent = stack.peer.open();
  assertEquals(await endOf(silent), [0, 0]);
}

async function several(stack: PeerStack): Promise<void> {
  const stream = stack.open("slow");
  stream.send(headersOf("warm"));
  stream.send(otherRequestBytes("requestBody"));
  stream.send(requestHeadersBytes([[":authority", "nobody.example"]]));
  stream.send(otherRequestBytes("responseTrailers"));
  stream.halfClose();
  const words = [];
  for (let i = 0; i < 5; i++) words.push(await nextWord(stream));
  assertEquals(words, [
    "requestHeaders",
    "requestHeaders",
    "requestBody",
    "404",
    "responseTrailers",
  ]);
  assertEquals(await endOf(stream), [0, 0]);
}

async function bad(stack: PeerStack): Promise<void> {
  const first = stack.peer.open();
  first.send(NONSENSE);
  assertEquals(await endOf(first), [3, 0], "INVALID_ARGUMENT");
  stack.script("full", RX);
  const parked = stack.open("full");
  await stack.parked(1);
  parked.send(NONSENSE);
  assertEquals(await endOf(parked), [3, 0], "also with a request that waits");
  await stack.parked(0);
  const many = stack.peer.open();
  many.send(headersOf("warm", 999));
  assertEquals(await nextWord(many), "431");
  const long = stack.peer.open();
  long.send(new Uint8Array(1024 * 1024 + 1));
  assertEquals(await nextWord(long), "431");
  long.send(headersOf("warm"));
  assertEquals(await nextWord(long), "requestHeaders", "the next message is read as ever");
  for (const stream of [many, long]) stream.reset();
}

async function deadline(stack: PeerStack): Promise<void> {
  const answer = await stack.ask("full", { "grpc-timeout": "600m" });
  assertEquals(statusOf(answer), 504);
  assertGreaterOrEqual(answer.tookMs, 590);
  assertLess(answer.tookMs, 5_000);
  const { reply } = answer;
  assert(reply?.response.case === "immediateResponse");
  const { body, details, grpcStatus } = reply.response.value;
  assertEquals(new TextDecoder().decode(body), "actor full request timed out");
  assertEquals([details, grpcStatus?.status], ["timeout", 4]);
  const { outcome, park } = reply.dynamicMetadata?.["atenet"] as Record<string, unknown>;
  assertEquals([outcome, park], ["timeout", "timeout"]);
  stack.script("mute", { kind: "hang" });
  assertEquals(statusOf(await stack.ask("mute", { "grpc-timeout": "0m" })), 504, "over already");
}

async function resets(stack: PeerStack): Promise<void> {
  const { peer } = stack;
  const unasked = peer.open();
  const half = peer.open();
  half.sendRaw(Uint8Array.of(0, 0, 0, 1, 0, 0x12));
  const resolving = stack.open("mute");
  const parked = stack.open("full");
  const between = stack.open("warm");
  between.send(headersOf("full"));
  assertEquals(await nextWord(between), "requestHeaders");
  await stack.parked(2);
  await stack.router.statusWhen("three wait", ({ engine }) => engine.callers === 3);
  for (const stream of [unasked, half, resolving, parked, between]) stream.reset();
  const answered = stack.open("warm");
  assertEquals(await nextWord(answered), "requestHeaders");
  answered.reset();
  await stack.router.statusWhen("nobody waits", ({ engine }) => engine.callers === 0);
}

async function counted(stack: PeerStack): Promise<void> {
  const status = await stack.router.statusWhen(
    "no stream is left",
    ({ envoy, parking }) => envoy.streams === 0 && parking.active === 0,
  );
  const { requests, waits, parked, bugs } = status.counters;
  const seen = Object.fromEntries(Object.entries(requests).filter(([, count]) => count > 0));
  assertEquals(seen, {
    // Half-closes 2, several 2, after the long message 1, resets 2.
    ok: 7,
    invalid_host: 1,
    // Resolving, parked, between.
    cancelled: 3,
    // Too many headers, too long, the parked one with nonsense behind it.
    error: 3,
    timeout: 2,
  });
  assertEquals(waits, { served: 1, budget_exhausted: 0, canceled: 2, timeout: 1, error: 1 });
  assertEquals([parked, bugs], [5, 0]);
  // The peer's connection has carried all of it.
  assertEquals([stack.peer.goneAway, status.envoy.connections], [false, 1]);
}
