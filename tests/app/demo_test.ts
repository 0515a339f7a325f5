import { assertEquals } from "@std/assert";
import { withoutEffect } from "../../src/app/demo.ts";
import { settingsOf } from "../check/settings_of.ts";

Deno.test("what the demonstration sets by itself is said when somebody set it, and nothing else", () => {
  assertEquals(withoutEffect(settingsOf({})), []);
  assertEquals(
    withoutEffect(settingsOf({
      parkedRequestBudgetMs: 2_000,
      portHttp: 8_081,
      grpcTransport: "grpc-js",
      logLevel: "debug",
    })),
    ["--parked-request-budget=2s", "--log-level=debug"],
  );
});
