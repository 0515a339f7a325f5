// Conformance: h2spec, a Go module of 146 cases, against the native gRPC server as it is. Skipped
// where Go or the module cannot be had, and says so.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { serveGrpc } from "../../src/h2/grpc_server.ts";
import { goInstall } from "./_go.ts";

const MODULE = "github.com/summerwind/h2spec/cmd/h2spec@v2.2.1+incompatible";
const CASES = 146;

const h2spec = await goInstall("h2spec", MODULE);

Deno.test({
  name: "h2spec passes all cases, strict ones too",
  ignore: h2spec === undefined,
  fn: async () => {
    assert(h2spec !== undefined);
    const server = await serveGrpc({
      hostname: "127.0.0.1",
      port: 0,
      maxConcurrentStreams: 100,
      maxMessageBytes: 1 << 20,
    }, () => undefined);
    try {
      const output = await new Deno.Command(h2spec, {
        args: ["--strict", "-h", "127.0.0.1", "-p", `${server.port}`, "-P", "/pkg.Service/Method"],
        stdout: "piped",
        stderr: "piped",
      }).output();
      const text = new TextDecoder().decode(output.stdout);
      assertMatch(text, /tests, /);
      const summary = text.trim().split("\n").at(-1);
      assertEquals(summary, `${CASES} tests, ${CASES} passed, 0 skipped, 0 failed`, text);
    } finally {
      await server.close();
    }
  },
});
