// The token file: read for every call, and what it may do to the log.
import { assertEquals, assertThrows } from "@std/assert";
import { TokenFile } from "../../src/controlplane/token.ts";

/** A file the test writes by hand; undefined = there is none. */
class OneFile {
  text: string | undefined;
  readonly warnings: Record<string, unknown>[] = [];

  constructor(text: string | undefined) {
    this.text = text;
  }

  token(): TokenFile {
    return new TokenFile("/token", () => {
      if (this.text === undefined) throw new Deno.errors.NotFound("/token");
      return this.text;
    }, (_msg, fields) => void this.warnings.push(fields));
  }
}

Deno.test("a token is read for every call; trouble is said once each time it begins", () => {
  const file = new OneFile("one\n");
  const token = file.token();
  assertEquals(token.authorization(), "Bearer one");
  file.text = "  two ";
  assertEquals(token.authorization(), "Bearer two");
  for (const bad of ["", " \n", "a b", "umläut", "nul\0", "a\r\nx-evil: 1"]) {
    file.text = bad;
    assertEquals(token.authorization(), "Bearer two", JSON.stringify(bad));
  }
  assertEquals(file.warnings, [{ file: "/token", why: "TypeError", using: "the last one read" }]);
  file.text = "three";
  assertEquals(token.authorization(), "Bearer three");
  file.text = undefined;
  assertEquals(token.authorization(), "Bearer three");
  assertEquals(file.warnings.map(({ why }) => why), ["TypeError", "NotFound"]);
});

Deno.test("an empty token file is no mistake, an absent one is", () => {
  const file = new OneFile("");
  const token = file.token();
  assertEquals(token.authorization(), undefined);
  assertEquals(file.warnings.map(({ using }) => using), ["none"]);
  file.text = "late";
  assertEquals(token.authorization(), "Bearer late");
  assertThrows(
    () => new OneFile(undefined).token(),
    Error,
    "Cannot read as token file: /token (NotFound)",
  );
});
