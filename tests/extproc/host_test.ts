import { assertEquals } from "@std/assert";
import { HostReader } from "../../src/extproc/host.ts";
import { DOMAIN, hostOf } from "./support/fake_stream.ts";

const reader = new HostReader(DOMAIN);
const A1 = { actorId: "a1", atespace: "demo" };
const LABEL_63 = "a".repeat(63);
const NOT_TWO = `not <actor_id>.<atespace>.${DOMAIN}`;
const NOT_UNDER = `not under ${DOMAIN}`;
const NO_PORT = "port is not a number from 1 to 65535";
const NO_ACTOR = "actor id is not a DNS label";
const NO_SPACE = "atespace is not a DNS label";

Deno.test("B58: every form of one host names the same actor", () => {
  const forms = [
    hostOf("a1"),
    `${hostOf("a1")}:8443`,
    `${hostOf("a1")}:1`,
    `${hostOf("a1")}:65535`,
    `${hostOf("a1")}:00080`,
    `${hostOf("a1")}.`,
    `${hostOf("a1")}.:8443`,
    hostOf("a1").toUpperCase(),
    `A1.Demo.${DOMAIN}:81`,
    `a1.demo.${DOMAIN.toUpperCase()}.`,
  ];
  for (const host of forms) assertEquals(reader.read(host), A1, host);
});

Deno.test("B58: a single letter of another case is enough, also the first and the last one", () => {
  for (const letter of "AMZ") {
    const actorId = letter.toLowerCase();
    assertEquals(reader.read(hostOf(letter, "s")), { actorId, atespace: "s" });
    assertEquals(reader.read(`${hostOf("a", letter)}:80`), { actorId: "a", atespace: actorId });
  }
  // Their neighbours in ASCII are no letters, in no case.
  for (const other of "@[`{/:") assertEquals(typeof reader.read(hostOf(other)), "string", other);
});

Deno.test("B58: labels of every legal shape are kept as they are", () => {
  for (const label of ["a", "z", "0", "9", "a-b", "a--b", "0-0", "xn--bcher-kva", LABEL_63]) {
    assertEquals(reader.read(hostOf(label, "s")), { actorId: label, atespace: "s" });
    assertEquals(reader.read(hostOf("a", label)), { actorId: "a", atespace: label });
  }
});

Deno.test("B58: everything else names none, with the reason", () => {
  const table: [host: string, why: string][] = [
    ["", "empty"],
    [`a1.demo.${DOMAIN}..`, NOT_UNDER],
    [`.${DOMAIN}`, NOT_TWO],
    [DOMAIN, NOT_UNDER],
    [`a1.${DOMAIN}`, NOT_TWO],
    [`a..${DOMAIN}`, NO_SPACE],
    [`.s.${DOMAIN}`, NO_ACTOR],
    [`a..s.${DOMAIN}`, NOT_TWO],
    [`a.b.c.${DOMAIN}`, NOT_TWO],
    [`a.b.c.d.e.${DOMAIN}`, NOT_TWO],
    [`..${DOMAIN}`, NO_ACTOR],
    [`a1.demo.${DOMAIN}.evil.example`, NOT_UNDER],
    [`a1.demo.x${DOMAIN}`, NOT_UNDER],
    [`a1.demox${DOMAIN}`, NOT_UNDER],
    ["a1.demo.example.com", NOT_UNDER],
    [hostOf("a".repeat(64)), NO_ACTOR],
    [hostOf("a", "s".repeat(64)), NO_SPACE],
    [hostOf("-a"), NO_ACTOR],
    [hostOf("a-"), NO_ACTOR],
    [hostOf("-"), NO_ACTOR],
    [hostOf("a", "-s"), NO_SPACE],
    [hostOf("a_b"), NO_ACTOR],
    [hostOf("a/b"), NO_ACTOR],
    [hostOf("a b"), NO_ACTOR],
    [hostOf("a\tb"), NO_ACTOR],
    [hostOf("a\0"), NO_ACTOR],
    [hostOf("%61"), NO_ACTOR],
    [`\t${hostOf("a")}`, NO_ACTOR],
    [`${hostOf("a")} `, NOT_UNDER],
    [hostOf("*"), NO_ACTOR],
    [`user@${hostOf("a")}`, "userinfo is not allowed"],
    [`user:pass@${hostOf("a")}`, "userinfo is not allowed"],
    [`${hostOf("a")}:80@evil`, "userinfo is not allowed"],
    ["[::1]:80", NO_PORT],
    ["::1", NO_PORT],
    ["x:y:z", NO_PORT],
    [`${hostOf("a")}:`, NO_PORT],
    [`${hostOf("a")}:0`, NO_PORT],
    [`${hostOf("a")}:65536`, NO_PORT],
    [`${hostOf("a")}:000080`, NO_PORT],
    [`${hostOf("a")}:-1`, NO_PORT],
    [`${hostOf("a")}:+80`, NO_PORT],
    [`${hostOf("a")}:8e1`, NO_PORT],
    [`${hostOf("a")}: 80`, NO_PORT],
    [`${hostOf("a")}:80:80`, NO_PORT],
    [`${hostOf("a")}:80.`, NO_PORT],
    [":80", NOT_UNDER],
    [".", NOT_UNDER],
    ["10.0.0.1", NOT_UNDER],
    [hostOf("gr\u00fc\u00df"), "not ASCII"],
    [`a.demo\u3002${DOMAIN}`, "not ASCII"],
    [hostOf("a\ufffd"), "not ASCII"],
    ["\ud800", "not ASCII"],
    ["a".repeat(100_000), NOT_UNDER],
  ];
  for (const [host, why] of table) assertEquals(reader.read(host), why, JSON.stringify(host));
});

Deno.test("B58: letters whose lower case is ASCII do not become an actor", () => {
  // U+212A is the Kelvin sign (lower case k); U+0130 has a lower case that begins with i.
  for (const letter of ["\u212a", "\u0130", "\uff21"]) {
    assertEquals(reader.read(hostOf(letter)), "not ASCII");
  }
});

Deno.test("B57: ids and spaces are not mixed up, names of object members are names", () => {
  assertEquals(reader.read(hostOf("a-b", "c")), { actorId: "a-b", atespace: "c" });
  assertEquals(reader.read(hostOf("a", "b-c")), { actorId: "a", atespace: "b-c" });
  for (const id of ["constructor", "tostring", "valueof", "hasownproperty"]) {
    assertEquals(reader.read(hostOf(id, id)), { actorId: id, atespace: id });
  }
  assertEquals(reader.read(hostOf("__proto__")), NO_ACTOR);
});

Deno.test("the actor domain may be written in any case, with a trailing dot, as one label", () => {
  for (const domain of ["Example.COM", "example.com.", "EXAMPLE.com."]) {
    assertEquals(new HostReader(domain).read("a1.demo.example.com:80"), A1);
    assertEquals(new HostReader(domain).read("a1.demo.other.com"), "not under example.com");
  }
  assertEquals(new HostReader("local").read("a1.demo.local"), A1);
  assertEquals(new HostReader("local").read("local"), "not under local");
});
