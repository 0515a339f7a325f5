import { assertEquals } from "@std/assert";
import type { Observer, TraceContext } from "../../src/engine/mod.ts";
import { fanOut } from "../../src/telemetry/observer.ts";
import { caller, flight, record, routed, TRACEPARENT } from "./_records.ts";

Deno.test("every method reaches every observer that has it, in order, with its arguments", () => {
  const heard: unknown[][] = [];
  const one: Observer = {
    unparked: (...args) => heard.push(["one", ...args]),
    bug: (what) => heard.push(["one", what]),
  };
  const two: Observer = { unparked: (...args) => heard.push(["two", ...args]) };
  const both = fanOut([one, two]);
  const who = caller();
  both.unparked?.(who, "served", 12);
  both.bug?.("x");
  assertEquals(heard, [["one", who, "served", 12], ["two", who, "served", 12], ["one", "x"]]);
});

Deno.test("methods nobody has are left out", () => {
  const combined = fanOut([{ bug() {} }, { request() {} }, {}]);
  assertEquals(Object.keys(combined).sort(), ["bug", "request"]);
});

Deno.test("methods of a class keep their this", () => {
  class Counting implements Observer {
    count = 0;
    request(): void {
      this.count++;
    }
  }
  const counting = new Counting();
  const combined = fanOut([counting]);
  combined.request?.(record(routed()));
  assertEquals(counting.count, 1);
});

Deno.test("an observer that throws is reported and disturbs nobody", () => {
  const faults: string[] = [];
  let reached = 0;
  const combined = fanOut(
    [
      {
        flightBegan() {
          throw new Error("boom");
        },
      },
      { flightBegan: () => void reached++ },
    ],
    (method, error) => faults.push(`${method}: ${error}`),
  );
  combined.flightBegan?.(flight());
  assertEquals(reached, 1);
  assertEquals(faults, ["flightBegan: Error: boom"]);
});

Deno.test("the first context that an observer gives is sent on, and all observers are asked", () => {
  const context: TraceContext = { traceparent: TRACEPARENT };
  let asked = 0;
  const combined = fanOut([
    { attemptBegan: () => void asked++ },
    { attemptBegan: () => (asked++, context) },
    { attemptBegan: () => (asked++, { traceparent: "other" }) },
  ]);
  assertEquals(combined.attemptBegan?.(flight()), context);
  assertEquals(asked, 3);
});
