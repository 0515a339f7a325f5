// Bidirectional streams on the client.
import { assertEquals } from "@std/assert";
import type { CallEnd, ClientListener } from "../../../src/h2/grpc/types.ts";
import {
  block,
  data,
  END_HEADERS,
  END_STREAM,
  headers,
  message,
  reset,
  settings,
  text,
  windowUpdate,
} from "../_frames.ts";
import { settle } from "../_pipe.ts";
import { ClientStage, RESPONSE, shownEnd } from "../_client_side.ts";

class Ear implements ClientListener {
  readonly events: string[] = [];
  message(bytes: Uint8Array): void {
    this.events.push(`message ${new TextDecoder().decode(bytes)}`);
  }
  ended(end: CallEnd): void {
    this.events.push(shownEnd(end));
  }
}

const OK = headers(1, block(["grpc-status", "0"]), END_HEADERS | END_STREAM);

Deno.test("messages both ways, half-close, status", async () => {
  await using stage = await ClientStage.open();
  const ear = new Ear();
  const stream = stage.side.open("/p.S/Bidi", [["x", "1"]], ear)!;
  stream.send(text("a"));
  stream.send(text("b"));
  await settle();
  assertEquals(stage.pipe.lines(), ["HEADERS 1", "DATA 1 6", "DATA 1 6"]);
  await stage.says(headers(1, RESPONSE), data(1, message("A")), data(1, message("B")));
  stream.halfClose();
  stream.halfClose();
  stream.send(text("late"));
  await settle();
  assertEquals(stage.pipe.lines().slice(3), ["DATA 1 0 END"]);
  await stage.says(OK);
  assertEquals(ear.events, ["message A", "message B", "status 0 "]);
  assertEquals(stage.side.active, 0);
});

Deno.test("half-close needs no window, not even one that is below 0", async () => {
  await using stage = await ClientStage.open({}, [4, 100]);
  const idle = stage.side.open("/p.S/Bidi", [], new Ear())!;
  const busy = stage.side.open("/p.S/Bidi", [], new Ear())!;
  for (const stream of [idle, busy]) stream.send(text("x".repeat(95)));
  await settle();
  await stage.says(settings([4, 40])); // −60 for both
  busy.send(text("waits"));
  await settle();
  stage.pipe.heard.length = 0;
  idle.halfClose();
  busy.halfClose();
  await settle();
  assertEquals(stage.pipe.lines(), ["DATA 1 0 END"]);
  assertEquals(await stage.says(windowUpdate(3, 70)), ["DATA 3 10", "DATA 3 0 END"]);
  assertEquals(stage.side.connection.send.queuedBytes, 0);
});

Deno.test("the peer may end first; our side is reset then", async () => {
  await using stage = await ClientStage.open();
  const ear = new Ear();
  const stream = stage.side.open("/p.S/Bidi", [], ear)!;
  assertEquals(await stage.says(headers(1, RESPONSE), OK), ["HEADERS 1", "RST_STREAM 1 code 8"]);
  stream.send(text("late"));
  stream.halfClose();
  stream.cancel();
  await settle();
  assertEquals(ear.events, ["status 0 "]);
});

Deno.test("cancel resets and is told", async () => {
  await using stage = await ClientStage.open();
  const ear = new Ear();
  const stream = stage.side.open("/p.S/Bidi", [], ear)!;
  stream.cancel();
  stream.cancel();
  await settle();
  assertEquals(ear.events, ["lost closed"]);
  assertEquals(stage.pipe.lines(), ["HEADERS 1", "RST_STREAM 1 code 8"]);
});

Deno.test("flow control holds messages and the half-close behind them", async () => {
  await using stage = await ClientStage.open({}, [4, 7]);
  const stream = stage.side.open("/p.S/Bidi", [], new Ear())!;
  stream.send(text("a"));
  stream.send(text("b"));
  stream.halfClose();
  await settle();
  assertEquals(stage.pipe.lines(), ["HEADERS 1", "DATA 1 6", "DATA 1 1"]);
  assertEquals(await stage.says(windowUpdate(1, 4)), ["DATA 1 4"]);
  assertEquals(await stage.says(windowUpdate(1, 9)), ["DATA 1 1", "DATA 1 0 END"]);
});

Deno.test("a listener that throws ends its stream", async () => {
  await using stage = await ClientStage.open();
  const ear = new Ear();
  ear.message = () => {
    throw new Error("bug");
  };
  stage.side.open("/p.S/Bidi", [], ear);
  const heard = await stage.says(headers(1, RESPONSE), data(1, message("A")));
  assertEquals(heard, ["HEADERS 1", "RST_STREAM 1 code 8"]);
  assertEquals(ear.events, ["lost closed"]);
  assertEquals(stage.told, ["fault: gRPC client stream message: Error: bug"]);
});

Deno.test("no free stream: none is opened", async () => {
  await using stage = await ClientStage.open({}, [3, 1]);
  const first = stage.side.open("/p.S/Bidi", [], new Ear());
  assertEquals(first === undefined, false);
  assertEquals(stage.side.open("/p.S/Bidi", [], new Ear()), undefined);
  await stage.says(reset(1, 2));
  assertEquals(stage.side.open("/p.S/Bidi", [], new Ear()) === undefined, false);
});
