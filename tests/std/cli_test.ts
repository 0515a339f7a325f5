// What we rely on in @std/cli; also runs against the real package.
import { assertEquals } from "@std/assert";
import { parseArgs } from "@std/cli";

const OPTIONS = { boolean: ["help", "version"], alias: { h: "help" } };

Deno.test("parseArgs() reads booleans and their aliases", () => {
  const none = parseArgs([], OPTIONS);
  assertEquals([none.help, none.h, none.version, none._], [false, false, false, []]);
  const short = parseArgs(["-h"], OPTIONS);
  assertEquals([short.help, short.h, short.version], [true, true, false]);
  const both = parseArgs(["--help", "--version"], OPTIONS);
  assertEquals([both.help, both.h, both.version], [true, true, true]);
  assertEquals(parseArgs(["--help=false"], OPTIONS).help, false);
});

Deno.test("parseArgs() asks about every word it does not know", () => {
  const asked: unknown[] = [];
  const unknown = (arg: string, key?: string, value?: unknown) => {
    asked.push([arg, key, value]);
    return false;
  };
  const parsed = parseArgs(["--x=1", "--y", "--help", "word"], { ...OPTIONS, unknown });
  assertEquals(asked, [["--x=1", "x", "1"], ["--y", "y", true], ["word", undefined, undefined]]);
  assertEquals([parsed.x, parsed.y, parsed.help, parsed._], [undefined, undefined, true, []]);
});

Deno.test("parseArgs() keeps what it is not told to leave out", () => {
  const parsed = parseArgs(["--x=a", "word", "7"], OPTIONS);
  assertEquals([parsed.x, parsed._], ["a", ["word", 7]]);
});

Deno.test("parseArgs() stops at the first word when asked to", () => {
  const parsed = parseArgs(["-h", "serve", "--help", "--x"], { ...OPTIONS, stopEarly: true });
  assertEquals([parsed.help, parsed._], [true, ["serve", "--help", "--x"]]);
  assertEquals(parseArgs(["--version"], { ...OPTIONS, stopEarly: true }).version, true);
});
