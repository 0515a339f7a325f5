// An operator leaves more of the ext_proc modes on than we ask for: the request is served all the
// same, and said once.
import { assertEquals } from "@std/assert";
import type { Bootstrap } from "../../src/envoy/types.ts";
import { OK, startStack, TRANSPORTS } from "../support/stack.ts";

/** All modes on. */
function allModes(bootstrap: Bootstrap): Bootstrap {
  const copy = JSON.parse(JSON.stringify(bootstrap));
  const [listener] = copy.static_resources.listeners;
  const { http_filters } = listener.filter_chains[0].filters[0].typed_config;
  for (const { name, typed_config } of http_filters) {
    if (name !== "envoy.filters.http.ext_proc") continue;
    typed_config.processing_mode = {
      request_header_mode: "SEND",
      response_header_mode: "SEND",
      request_body_mode: "BUFFERED",
      response_body_mode: "BUFFERED",
      request_trailer_mode: "SEND",
      response_trailer_mode: "SEND",
    };
  }
  return copy;
}

for (const transport of TRANSPORTS) {
  Deno.test(`B23: ${transport}: messages we did not ask for are passed through, with one warning a stream`, async () => {
    await using stack = await startStack({
      edit: allModes,
      flags: { "grpc-transport": transport },
    });
    stack.script("a1", OK);
    const reply = await stack.ask("a1", {
      method: "POST",
      body: "x".repeat(10_000),
      path: "/post",
    });
    assertEquals(reply.status, 200, reply.body);
    assertEquals(JSON.parse(reply.body).method, "POST");
    assertEquals(stack.calls("a1").length, 1, "one flight");
    const { counters } = await stack.quiet();
    assertEquals([counters.requests.ok, counters.bugs], [1, 0]);
    assertEquals(counters.warnings, 1);
  });
}
