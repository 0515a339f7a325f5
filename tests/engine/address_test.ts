// Targets are kept per address; what is kept never answers for another port or a bad address.
import { assertEquals } from "@std/assert";
import { targetOf } from "../../src/engine/address.ts";

Deno.test("a target that is kept is that of its own port", () => {
  for (const port of [80, 8080, 80, 81]) {
    for (let again = 0; again < 3; again++) {
      assertEquals(targetOf("10.0.0.7", port), `10.0.0.7:${port}`);
      assertEquals(targetOf("fd00::7", port), `[fd00::7]:${port}`);
    }
  }
});

Deno.test("an address that may not be used is refused every time", () => {
  for (let again = 0; again < 3; again++) {
    for (const ip of ["", "0.0.0.0", "169.254.1.1", "::ffff:127.0.0.1x", "worker", "10.0.0.7:80"]) {
      assertEquals(targetOf(ip, 80), undefined, ip);
    }
  }
});

Deno.test("more addresses than are kept: each has its own target", () => {
  for (let round = 0; round < 2; round++) {
    for (let n = 0; n < 10_000; n++) {
      const ip = `10.${n >> 8}.${n & 255}.1`;
      assertEquals(targetOf(ip, 80), `${ip}:80`);
    }
  }
});
