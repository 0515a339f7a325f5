// Faults of our own: the stream fails closed, everybody is told once, others do not notice.
import { assertEquals } from "@std/assert";
import { Code } from "../../src/engine/mod.ts";
import { field } from "../wire/support/bytes.ts";
import { TestDesk } from "./support/desk.ts";
import { routed } from "./support/fake_engine.ts";
import { hostOf } from "./support/fake_stream.ts";

Deno.test("an engine that throws: INTERNAL in trailers, one record, a bug reported", () => {
  const desk = new TestDesk();
  desk.clock.advance(70);
  desk.engine.fault = new Error("broken");
  const stream = desk.stream();
  stream.ask(hostOf("a1"));
  assertEquals([stream.ended?.code, stream.said, stream.resets], [Code.INTERNAL, [], 0]);
  assertEquals(desk.watcher.outcomes, ["error!"]);
  assertEquals(desk.watcher.records[0]!.endMs, 70);
  assertEquals(desk.watcher.bugs.length, 1);
  stream.close();
  assertEquals([desk.watcher.records.length, desk.counts], [1, [0, 0]]);
});

Deno.test("the trailers of a fault say nothing of it", () => {
  const desk = new TestDesk();
  desk.engine.fault = new Error("secret detail");
  const stream = desk.stream();
  stream.ask(hostOf("a1"));
  assertEquals(stream.ended?.message, "internal error");
});

Deno.test("a write that throws: INTERNAL in trailers, recorded once as not delivered", () => {
  const desk = new TestDesk();
  const stream = desk.stream();
  stream.onSend = () => {
    throw new Error("broken pipe");
  };
  stream.ask(hostOf("a1"));
  stream.ask(hostOf("a2"));
  desk.engine.asked[0]!.settle(routed());
  assertEquals(stream.ended?.code, Code.INTERNAL);
  assertEquals(desk.engine.asked[1]!.left, ["fault"]);
  assertEquals(desk.watcher.outcomes, ["ok!", "error!"]);
  assertEquals(desk.counts, [1, 0]);
});

Deno.test("a verdict that cannot be encoded: INTERNAL in trailers, recorded once", () => {
  const desk = new TestDesk();
  const stream = desk.stream();
  stream.ask(hostOf("a1"));
  const broken = { ...routed(), target: undefined as unknown as string, attempts: 2 };
  desk.engine.asked[0]!.settle(broken);
  assertEquals([stream.ended?.code, stream.said], [Code.INTERNAL, []]);
  assertEquals([desk.watcher.records.length, desk.watcher.records[0]!.delivered], [1, false]);
  // The next stream writes with the same buffer: nothing of the broken answer is in it.
  const next = desk.stream();
  next.ask(hostOf("a1"));
  desk.engine.asked[1]!.settle(routed());
  assertEquals(next.said, ["to 10.0.0.1:80"]);
});

Deno.test("an observer that throws does not touch the request", () => {
  const desk = new TestDesk();
  desk.watcher.request = () => {
    throw new Error("observer");
  };
  const stream = desk.stream();
  stream.ask(hostOf("a1"));
  desk.engine.asked[0]!.settle(routed());
  assertEquals([stream.said, stream.ended], [["to 10.0.0.1:80"], undefined]);
  assertEquals(desk.watcher.bugs.length, 1);
});

Deno.test("B24: the peer resets while its answer is being written", () => {
  const desk = new TestDesk();
  const stream = desk.stream();
  for (const id of ["a1", "a2"]) stream.ask(hostOf(id));
  stream.listener.message(field(4));
  stream.onSend = () => stream.close();
  desk.engine.asked[1]!.settle(routed("10.0.0.2:80"));
  desk.engine.asked[0]!.settle(routed());
  assertEquals(desk.watcher.outcomes, ["ok!", "ok!"]);
  assertEquals([desk.counts, desk.watcher.bugs], [[0, 0], []]);
});

Deno.test("B24: a stream that closes while the engine is asked leaves at once", () => {
  const desk = new TestDesk();
  const stream = desk.stream();
  desk.engine.atOnce = () => {
    stream.close();
    return routed();
  };
  stream.ask(hostOf("a1"));
  assertEquals(desk.engine.asked[0]!.left, ["canceled"]);
  assertEquals([desk.watcher.records.length, desk.counts], [1, [0, 0]]);
});

Deno.test("a verdict given twice counts once, also while it waits for its turn", () => {
  const desk = new TestDesk();
  const stream = desk.stream();
  const askers: { verdict(verdict: unknown): void }[] = [];
  Object.assign(desk.service.engine, {
    ask(_: unknown, asker: { verdict(verdict: unknown): void }) {
      askers.push(asker);
      return { leave() {} };
    },
  });
  stream.ask(hostOf("a1"));
  stream.ask(hostOf("a2"));
  for (const asker of askers.reverse()) {
    asker.verdict(routed());
    asker.verdict(routed("10.6.6.6:80"));
  }
  assertEquals(stream.said, ["to 10.0.0.1:80", "to 10.0.0.1:80"]);
  assertEquals(desk.watcher.outcomes, ["ok", "ok"]);
});
