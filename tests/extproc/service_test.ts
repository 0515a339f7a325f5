import { assertEquals } from "@std/assert";
import { TestDesk } from "./support/desk.ts";
import { routed } from "./support/fake_engine.ts";
import { FakeStream, hostOf } from "./support/fake_stream.ts";

Deno.test("paths that nobody serves are unimplemented", () => {
  const desk = new TestDesk();
  for (
    const path of [
      "",
      "/",
      "/envoy.service.ext_proc.v3.ExternalProcessor/process",
      "/envoy.service.ext_proc.v3.ExternalProcessor/Process/",
      "/envoy.service.ext_proc.v2.ExternalProcessor/Process",
      "/grpc.health.v1.Health/List",
    ]
  ) {
    assertEquals(new FakeStream({ path }).openWith(desk.service.open), false, path);
  }
  assertEquals(desk.counts, [0, 0]);
});

Deno.test("open and unanswered streams are counted, whatever way they end", () => {
  const desk = new TestDesk();
  const streams = Array.from({ length: 5 }, () => desk.stream());
  assertEquals(desk.counts, [5, 0]);
  for (const stream of streams) stream.ask(hostOf("a1"));
  assertEquals(desk.counts, [5, 5]);
  desk.engine.asked[0]!.settle(routed());
  desk.engine.asked[1]!.settle(routed());
  assertEquals(desk.counts, [5, 3]);
  streams[0]!.close();
  streams[2]!.close();
  streams[2]!.close();
  assertEquals(desk.counts, [3, 2]);
  for (const stream of streams) stream.close();
  assertEquals(desk.counts, [0, 0]);
});

Deno.test("a stream that was never asked anything is not unanswered", () => {
  const desk = new TestDesk();
  const stream = desk.stream();
  stream.listener.message(Uint8Array.of(0x22, 0));
  assertEquals(desk.counts, [1, 0]);
  assertEquals(desk.service.resetUnanswered(), 0);
  assertEquals(stream.resets, 0);
});

Deno.test("at the end of the process the streams that wait are reset, each request recorded once", () => {
  const desk = new TestDesk();
  const [waiting, answered, idle, double] = Array.from({ length: 4 }, () => desk.stream());
  waiting!.ask(hostOf("a1"));
  answered!.ask(hostOf("a2"));
  desk.engine.asked[1]!.settle(routed());
  double!.ask(hostOf("a3"));
  double!.ask(hostOf("a4"));
  assertEquals(desk.service.resetUnanswered(), 2);
  assertEquals([waiting, answered, idle, double].map((stream) => stream!.resets), [1, 0, 0, 1]);
  assertEquals(desk.watcher.outcomes, ["ok", "reset!", "reset!", "reset!"]);
  assertEquals(desk.engine.asked.map(({ left }) => left), [["reset"], [], ["reset"], ["reset"]]);
  assertEquals(desk.counts, [4, 0]);
  assertEquals(desk.service.resetUnanswered(), 0);
  // The transport says that they are gone; that changes nothing any more.
  for (const stream of [waiting, double]) stream!.close();
  assertEquals([desk.watcher.records.length, desk.counts], [4, [2, 0]]);
});

Deno.test("a reset stream hears nothing more", () => {
  const desk = new TestDesk();
  const stream = desk.stream();
  stream.ask(hostOf("a1"));
  desk.service.resetUnanswered();
  stream.ask(hostOf("a2"));
  stream.listener.tooLarge();
  stream.listener.halfClosed();
  desk.engine.asked[0]!.settle(routed());
  assertEquals([stream.said, stream.ended, desk.engine.asked.length], [[], undefined, 1]);
});

Deno.test("requests are counted when they arrive and when they end, however they do", () => {
  const desk = new TestDesk();
  const counts = () => [desk.service.arrived(), desk.service.openRequests()];
  assertEquals(counts(), [0, 0]);
  const [served, left, cut, bad] = Array.from({ length: 4 }, () => desk.stream());
  for (const stream of [served, left, cut, bad]) stream!.ask(hostOf("a1"));
  served!.ask("nonsense");
  bad!.listener.message(Uint8Array.of(0x22, 0));
  assertEquals(counts(), [5, 5], "a body is no request; who waits behind another has not ended");
  desk.engine.asked[0]!.settle(routed());
  assertEquals(counts(), [5, 3]);
  left!.close();
  bad!.listener.message(Uint8Array.of(0xff));
  assertEquals(counts(), [5, 1]);
  desk.service.resetUnanswered();
  assertEquals(counts(), [5, 0]);
  served!.listener.tooLarge();
  assertEquals(counts(), [5, 0], "no request after a request");
  desk.stream().listener.tooLarge();
  assertEquals(counts(), [6, 0]);
});

Deno.test("a stream that goes while another is being reset is not reset itself", () => {
  const desk = new TestDesk();
  const [first, second] = [desk.stream(), desk.stream()];
  first.ask(hostOf("a1"));
  second.ask(hostOf("a2"));
  const records: string[] = [];
  desk.watcher.request = ({ verdict }) => {
    records.push(verdict.outcome);
    second.close();
  };
  desk.service.resetUnanswered();
  assertEquals([first.resets, second.resets], [1, 0]);
  assertEquals([records, desk.counts], [["reset", "cancelled"], [1, 0]]);
});
