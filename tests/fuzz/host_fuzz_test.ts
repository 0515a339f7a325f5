// Fuzz target: the host of a request, from bytes of an HTTP client to the actor or the refusal.
// Runs for FUZZ_SECONDS (3); SEED= replays. deno test -A tests/fuzz/host_fuzz_test.ts
import { assert, assertEquals } from "@std/assert";
import { HostReader } from "../../src/extproc/host.ts";
import { HOST_SHOWN_CHARS } from "../../src/extproc/limits.ts";
import { shownHost } from "../../src/extproc/shown.ts";
import { fuzzMs, Random, seedOf } from "../wire/support/random.ts";

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
/** A host must not take longer, in ms. */
const SLOW_MS = 250;

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

Deno.test("fuzz: a host names exactly the actor that the rule names, and is shown safely", () => {
  const random = new Random(seedOf("host fuzz"));
  const reader = new HostReader(DOMAIN);
  const endMs = performance.now() + fuzzMs();
  let actors = 0;
  let refused = 0;
  while (performance.now() < endMs) {
    const host = candidate(random);
    const startMs = performance.now();
    const reading = reader.read(host);
    const actor = expected(host);
    if (actor === undefined) {
      assertEquals(typeof reading, "string", JSON.stringify(host));
      refused++;
    } else {
      assertEquals(reading, actor, JSON.stringify(host));
      assertEquals(shownHost(host), host);
      actors++;
    }
    checkShown(host);
    assert(performance.now() - startMs < SLOW_MS, `slow: ${JSON.stringify(host)}`);
  }
  console.log(`host fuzz: ${actors} actors, ${refused} refused`);
  assert(actors > 100 && refused > 100, "one-sided inputs");
});
