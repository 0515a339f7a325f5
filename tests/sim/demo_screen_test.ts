// What the demo writes, byte by byte: written over on a terminal, whole lines in a pipe.
import { assertEquals } from "@std/assert";
import { DemoScreen } from "../../src/sim/demo_screen.ts";
import { FakeClock } from "../support/fake_clock.ts";

function setUp(terminal: boolean) {
  const clock = new FakeClock();
  const written: string[] = [];
  const screen = new DemoScreen({ terminal, write: (text) => written.push(text) }, clock);
  return { clock, written, screen };
}

const CLEAR = "\r\x1b[K";

Deno.test("on a terminal a step is seen at its beginning and written over at its end", () => {
  const { written, screen } = setUp(true);
  screen.step("router");
  screen.done("router on 127.0.0.1:50051");
  screen.step("x");
  screen.done();
  assertEquals(written, [
    "1/4 router ",
    `${CLEAR}1/4 router on 127.0.0.1:50051 ............................ ready\n`,
    "2/4 x ",
    `${CLEAR}2/4 x .................................................... ready\n`,
  ]);
});

Deno.test("in a pipe a step is one line, at its end", () => {
  const { written, screen } = setUp(false);
  screen.step("router");
  screen.done();
  screen.title("burst");
  assertEquals(written, [
    "1/4 router ............................................... ready\n",
    "2/4 burst\n",
  ]);
});

Deno.test("a live line is written over on a terminal, and a lasting line takes its place", () => {
  const { written, screen } = setUp(true);
  screen.live("1 of 60");
  screen.live("2 of 60");
  screen.line("table");
  screen.line("more");
  assertEquals(written, ["1 of 60", `${CLEAR}2 of 60`, `${CLEAR}table\n`, "more\n"]);
});

Deno.test("in a pipe the live line comes at most every half second, at once after another line", () => {
  const { clock, written, screen } = setUp(false);
  screen.live("a");
  clock.advance(499);
  screen.live("b");
  clock.advance(1);
  screen.live("c");
  screen.line("table");
  screen.live("d");
  assertEquals(written, ["a\n", "c\n", "table\n", "d\n"]);
});
