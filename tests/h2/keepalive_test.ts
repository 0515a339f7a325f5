// Dead peers of a client: when PINGs are sent, how many, and what silence means.
import { assert, assertEquals } from "@std/assert";
import { LAST_LOOK_MS, PINGS_MAX, SPARSE_PING_MS } from "../../src/h2/keepalive.ts";
import { data, frame, headers, message, windowUpdate } from "./_frames.ts";
import { settle } from "./_pipe.ts";
import { answer, ClientStage, RESPONSE } from "./_client_side.ts";

const ACK = frame("PING", 1, 0, [1, 0, 0, 0, 0, 0, 0, 0]);

function pings(stage: ClientStage): number {
  return stage.pipe.lines().filter((line) => line === "PING").length;
}

Deno.test("no calls, no PING, for hours", async () => {
  await using stage = await ClientStage.open();
  for (let hour = 0; hour < 3; hour++) stage.clock.advance(3_600_000);
  await settle();
  assertEquals(stage.pipe.lines(), []);
  assertEquals(stage.clock.armed, 0);
});

Deno.test("two seconds of silence with a call: one PING; ACK: alive", async () => {
  await using stage = await ClientStage.open();
  const call = stage.call();
  await stage.passes(1999);
  assertEquals(pings(stage), 0);
  await stage.passes(1);
  assertEquals(pings(stage), 1);
  await stage.passes(1999);
  assertEquals(pings(stage), 1, "one at a time");
  await stage.says(ACK);
  await stage.passes(1999);
  assertEquals(stage.side.state, "open");
  await stage.says(answer(1, "slow"));
  assertEquals(call.ends, ["ok slow"]);
});

Deno.test("B62: no ACK in two seconds: dead, its calls are lost, and the owner knows first", async () => {
  await using stage = await ClientStage.open({}, [3, 1]);
  const calls = [stage.call(), stage.call()];
  calls[0]!.onEnd = () => assertEquals(stage.told, ["closed: no PING ACK in time"]);
  await stage.passes(3999);
  assertEquals(stage.side.state, "open");
  await stage.passes(1 + LAST_LOOK_MS);
  assertEquals(stage.side.state, "closed");
  assertEquals(calls.map(({ ends }) => ends[0]), ["lost dead", "lost dead unprocessed"]);
  assert(stage.pipe.closed);
  assertEquals(stage.clock.armed, 0);
});

Deno.test("B62: a connection that went mute while idle is asked with the first call", async () => {
  await using stage = await ClientStage.open();
  await stage.passes(60_000);
  const call = stage.call();
  await settle();
  assertEquals(
    stage.pipe.lines(),
    ["HEADERS 1", "DATA 1 7 END", "PING"],
    "after the call's frames",
  );
  await stage.passes(2000 + LAST_LOOK_MS);
  assertEquals(call.ends, ["lost dead"]);
});

Deno.test("an event loop that was late reads before it judges", async () => {
  await using stage = await ClientStage.open();
  const call = stage.call();
  await stage.passes(2000);
  assertEquals(pings(stage), 1);
  // The loop is blocked for 3 s; meanwhile the ACK has come in.
  stage.clock.stall(3000);
  stage.pipe.feed(ACK);
  stage.clock.advance(0);
  await settle();
  await stage.passes(1000);
  assertEquals(stage.side.state, "open");
  await stage.says(answer(1, "x"));
  assertEquals(call.ends, ["ok x"]);
});

Deno.test("anything received is a sign of life", async () => {
  await using stage = await ClientStage.open();
  stage.call();
  for (let n = 0; n < 5; n++) {
    await stage.passes(1500);
    await stage.says(windowUpdate(0, 1));
  }
  assertEquals(pings(stage), 0);
});

Deno.test("B63: two PINGs between two frames of a call, then one per five minutes", async () => {
  await using stage = await ClientStage.open();
  stage.call();
  const at: number[] = [];
  // A long time in which the server answers PINGs and nothing else.
  for (let second = 2; second <= 1300; second += 2) {
    const before = pings(stage);
    stage.clock.advance(2000);
    await settle();
    if (pings(stage) === before) continue;
    at.push(second);
    await stage.says(ACK);
  }
  assertEquals(at, [2, 4, 306, 608, 910, 1212]);
  assert(at[PINGS_MAX]! - at[PINGS_MAX - 1]! >= SPARSE_PING_MS / 1000);
});

Deno.test("B63: a frame of a call makes room for two more; other frames do not", async () => {
  await using stage = await ClientStage.open();
  stage.call();
  const spend = async () => {
    const before = pings(stage);
    for (let n = 0; n < 5; n++) {
      await stage.passes(2000);
      if (pings(stage) > before + n) await stage.says(ACK);
    }
    return pings(stage) - before;
  };
  assertEquals(await spend(), 2);
  await stage.says(windowUpdate(0, 1));
  assertEquals(await spend(), 0);
  await stage.says(headers(1, RESPONSE));
  assertEquals(await spend(), 2);
  await stage.says(data(1, message("part")));
  assertEquals(await spend(), 2);
});

Deno.test("a PING that is out when the calls end is nobody's death", async () => {
  await using stage = await ClientStage.open();
  stage.call();
  await stage.passes(2000);
  assertEquals(pings(stage), 1);
  await stage.says(answer(1, "x"));
  await stage.passes(60_000);
  assertEquals(stage.side.state, "open");
});

Deno.test("a PING left unanswered by an answered call does not kill the next call at once", async () => {
  await using stage = await ClientStage.open();
  stage.call();
  await stage.passes(2000);
  await stage.says(answer(1, "x"));
  await stage.passes(10_000);
  const next = stage.call();
  await settle();
  await stage.passes(1000);
  assertEquals(next.ends, []);
  await stage.says(ACK, answer(3, "y"));
  assertEquals(next.ends, ["ok y"]);
});
