import { assertEquals } from "@std/assert";
import type { Flag, Form } from "../../src/cli/flags/spec.ts";
import { parseValue, placeholder } from "../../src/cli/flags/value.ts";

function flag(form: Form, empty?: string): Flag {
  return { name: "x", form, help: "x", ...(empty === undefined ? {} : { empty }) };
}

/** The value, or why there is none. */
function parsed(form: Form, text: string): unknown {
  const result = parseValue(flag(form), text);
  return result.ok ? result.value : result.why;
}

const CHOICE: Form = { kind: "choice", values: ["debug", "info"] };
const INTEGER = "is not a plain decimal integer";
const NUMBER = "is not a plain decimal number";
const BEYOND = "is beyond 2147483647";

const COUNTS: readonly [text: string, value: unknown][] = [
  ["0", 0],
  ["1", 1],
  ["-1", -1],
  ["-0", 0],
  ["1024", 1024],
  ["2147483647", 2_147_483_647],
  ["-2147483647", -2_147_483_647],
  ["2147483648", BEYOND],
  ["-2147483648", BEYOND],
  ["99999999999999999999", BEYOND],
  ["1.0", INTEGER],
  ["1e3", INTEGER],
  ["0x10", INTEGER],
  ["007", INTEGER],
  ["+1", INTEGER],
  ["1_000", INTEGER],
  ["1,000", INTEGER],
  [" 1", INTEGER],
  ["1 ", INTEGER],
  ["NaN", INTEGER],
  ["Infinity", INTEGER],
  ["--1", INTEGER],
  ["-", INTEGER],
  ["１", INTEGER],
];

Deno.test("counts and ports are plain decimal integers up to 2^31-1", () => {
  for (const [text, value] of COUNTS) {
    assertEquals(parsed({ kind: "count" }, text), value, text);
    assertEquals(parsed({ kind: "port" }, text), value, text);
  }
});

const OTHERS: readonly [form: Form, text: string, value: unknown][] = [
  [{ kind: "number" }, "1.1", 1.1],
  [{ kind: "number" }, "-0.5", -0.5],
  [{ kind: "number" }, ".5", 0.5],
  [{ kind: "number" }, "1.", 1],
  [{ kind: "number" }, "-0", 0],
  [{ kind: "number" }, "1e3", NUMBER],
  [{ kind: "number" }, "NaN", NUMBER],
  [{ kind: "number" }, "Infinity", NUMBER],
  [{ kind: "number" }, "9".repeat(400), NUMBER],
  [{ kind: "number" }, "1,1", NUMBER],
  [{ kind: "duration" }, "1.5s", 1_500],
  [{ kind: "duration" }, "-1s", -1_000],
  [{ kind: "duration" }, "5", "has no unit"],
  [{ kind: "boolean" }, "true", true],
  [{ kind: "boolean" }, "false", false],
  [{ kind: "boolean" }, "True", "is neither true nor false"],
  [{ kind: "boolean" }, "1", "is neither true nor false"],
  [{ kind: "boolean" }, "yes", "is neither true nor false"],
  [CHOICE, "info", "info"],
  [CHOICE, "INFO", "is none of debug, info"],
  [CHOICE, "constructor", "is none of debug, info"],
  [{ kind: "path" }, "a b.pem", "a b.pem"],
  [{ kind: "path" }, "a\nb", "holds control characters"],
  [{ kind: "path" }, "a\u0000b", "holds control characters"],
  [{ kind: "address" }, "h:443", "h:443"],
  [{ kind: "address" }, "[::1]:443", "[::1]:443"],
  [{ kind: "address" }, "h", "is not host:port"],
  [{ kind: "address" }, ":443", "is not host:port"],
  [{ kind: "address" }, "u:p@h:443", "is not host:port"],
  [{ kind: "address" }, "u@h:443", "is not host:port"],
  [{ kind: "address" }, "dns:///h:443", "is not host:port"],
  [{ kind: "listen" }, ":9090", ":9090"],
  [{ kind: "listen" }, "127.0.0.1:9090", "127.0.0.1:9090"],
  [{ kind: "listen" }, "[::]:0", "[::]:0"],
  [{ kind: "listen" }, "9090", "is not [host]:port"],
  [{ kind: "listen" }, "localhost:9090", "is not [host]:port"],
  [{ kind: "ip" }, "127.0.0.1", "127.0.0.1"],
  [{ kind: "ip" }, "[::]", "::"],
  [{ kind: "ip" }, "::1", "::1"],
  [{ kind: "ip" }, "localhost", "is not an IP address"],
  [{ kind: "ip" }, "127.0.0.1:80", "is not an IP address"],
  [{ kind: "name" }, "Actors.Example.COM", "actors.example.com"],
  [{ kind: "name" }, "a..b", "is not a DNS name"],
  [{ kind: "name" }, ".a", "is not a DNS name"],
  [{ kind: "name" }, "a.", "is not a DNS name"],
  [{ kind: "name" }, "*.a", "is not a DNS name"],
  [{ kind: "host" }, "A1.demo.example.:8443", "A1.demo.example.:8443"],
  [{ kind: "host" }, "a\u001b[2J", "holds control characters"],
  [{ kind: "url" }, "http://127.0.0.1:9901", "http://127.0.0.1:9901"],
  [{ kind: "url" }, "127.0.0.1:9901", "is not an http URL"],
  [{ kind: "url" }, "file:///x", "is not an http URL"],
  [{ kind: "url" }, "https://127.0.0.1:9901", "is not an http URL"],
];

Deno.test("every form takes its values and says why not", () => {
  for (const [form, text, value] of OTHERS) {
    assertEquals(parsed(form, text), value, `${form.kind} ${text.slice(0, 40)}`);
  }
});

Deno.test("an empty text is a value only where the flag gives it a sense", () => {
  for (const kind of ["duration", "count", "path", "address", "boolean"] as const) {
    assertEquals(parsed({ kind }, ""), "has no value", kind);
  }
  const result = parseValue(flag({ kind: "listen" }, "off"), "");
  assertEquals(result.ok && result.value, "");
});

Deno.test("a wrong choice is answered with the nearest one", () => {
  const result = parseValue(flag(CHOICE), "inf");
  assertEquals(result.ok || result.fix, "Did you mean info? Write one of debug, info");
});

Deno.test("placeholder() stands for a value", () => {
  assertEquals(placeholder(flag(CHOICE)), "debug|info");
  assertEquals(placeholder(flag({ kind: "path" })), "FILE");
  assertEquals(placeholder({ ...flag({ kind: "path" }), placeholder: "FOLDER" }), "FOLDER");
});
