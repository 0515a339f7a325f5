// The bootstrap of deploy/base on the real Envoy.
import { assertEquals } from "@std/assert";
import { envoyBinary } from "../support/envoy.ts";
import { BOOTSTRAP, container, tool } from "./_base.ts";

Deno.test("the real Envoy accepts the bootstrap of the base with the words of its container", async () => {
  const words: string[] = container("envoy").args;
  const args = words.map((word) => word === "/etc/envoy/envoy.yaml" ? BOOTSTRAP : word);
  assertEquals(args.includes(BOOTSTRAP), true);
  const checked = await tool(await envoyBinary(), [...args, "--mode", "validate"]);
  assertEquals(checked?.code, 0, checked?.stderr);
});
