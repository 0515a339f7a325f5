// Fuzz target: the host of a request, from bytes of an HTTP client to the actor or the refusal.
// See _loop.ts. deno test -A tests/fuzz/host_fuzz_test.ts
import { assert, assertEquals } from "@std/assert";
import { HostReader } from "../../src/extproc/host.ts";
import { HOST_SHOWN_CHARS } from "../../src/extproc/limits.ts";
import { shownHost } from "../../src/extproc/shown.ts";
import type { Random } from "../wire/support/random.ts";
import { changedText } from "./_change.ts";
import { Input } from "./_input.ts";
import { fuzz } from "./_loop.ts";

const DOMAIN = "actors.resources.substrate.ate.dev";
/** The rule as one expression: slow and plain, on purpose. */
const RULE = new RegExp(
  "^([a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?)[.]([a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?)[.]" +
    DOMAIN.replaceAll(".", "[.]") + "[.]?(?::([0-9]{1,5}))?$",
);
const PIECES = [
  "a",
  "-",
  ".",
  "..",
  ":",
  ":80",
  ":0",
  ":65535",
  ":65536",
  "@",
  "A",
  "Z9",
  "[::1]",
  "\u212a",
  "\u0130",
  "\ud800",
  "\ufffd",
  "\0",
  "\t",
  '"',
  "%2e",
  "xn--",
  "a".repeat(63),
  "a".repeat(64),
  `.${DOMAIN}`,
  DOMAIN,
  DOMAIN.toUpperCase(),
];

function candidate(random: Random): string {
  const label = () => random.pick(["a", "a1", "b-c", "A", "demo", "x".repeat(63)]);
  let host = `${label()}.${label()}.${DOMAIN}${random.pick(["", ".", ":80", ".:81"])}`;
  for (let i = random.below(4); i > 0; i--) {
    const at = random.below(host.length + 1);
    const end = at + random.below(3);
    host = host.slice(0, at) + random.pick(PIECES) + host.slice(end);
  }
  if (random.oneIn(50)) host = host.repeat(1 + random.below(200));
  return host;
}

function expected(host: string): { actorId: string; atespace: string } | undefined {
  // ASCII case only: a flag would let the Kelvin sign in.
  const lower = host.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  const [, actorId, atespace, port] = RULE.exec(lower) ?? [];
  if (actorId === undefined || atespace === undefined) return undefined;
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) return undefined;
  return { actorId, atespace };
}

function checkShown(host: string): void {
  const shown = shownHost(host);
  assert(/^[\x20-\x7e]*$/.test(shown), `not printable: ${JSON.stringify(host)}`);
  assert(!/(?<!\\)(?:\\\\)*"/.test(shown), `a bare quote: ${JSON.stringify(host)}`);
  assert(shown.length <= HOST_SHOWN_CHARS * 10, `too long: ${shown.length}`);
  const at = host.lastIndexOf("@");
  if (at >= 0) assert(shown.startsWith("***@"), `userinfo shown: ${JSON.stringify(host)}`);
  if (at >= 0) assertEquals(shown, shownHost(`other@${host.slice(at + 1)}`));
}

const reader = new HostReader(DOMAIN);

function run({ text: host }: Input): string {
  const reading = reader.read(host);
  const actor = expected(host);
  checkShown(host);
  if (actor === undefined) {
    assertEquals(typeof reading, "string");
    return "refused";
  }
  assertEquals(reading, actor);
  assertEquals(shownHost(host), host);
  return "an actor";
}

Deno.test("fuzz: a host names exactly the actor that the rule names, and is shown safely", () =>
  fuzz({
    name: "host",
    form: "text",
    fresh: (random) => Input.text(candidate(random)),
    changed: (random, { text }, other) => Input.text(changedText(random, text, other.text, PIECES)),
    run,
    outcomes: ["an actor", "refused"],
    breeds: ["an actor"],
  }));
