// A client that leaves while its request waits: the router hears of it soon, with every cure, and is
// not asked again for nobody.
import { assertEquals, assertLess } from "@std/assert";
import { startEnvoy } from "../support/envoy.ts";
import { ScriptedExtProc } from "../support/ext_proc_script.ts";
import { startRequest } from "../support/http.ts";
import { until } from "../support/until.ts";

for (const resetCure of ["guard", "cap", "none"] as const) {
  Deno.test(`with --reset-cure=${resetCure} a client that left is seen and not asked for again`, async () => {
    await using extproc = await ScriptedExtProc.start(() => {});
    extproc.endOnHalfClose = false;
    await using envoy = await startEnvoy({ portExtproc: extproc.port, resetCure });
    const request = await startRequest(envoy.httpPort, { host: "a" });
    await until("the question", () => extproc.asked.length);
    const leftMs = performance.now();
    request.abort();
    await until("the end of the stream", () => extproc.gone === 1);
    assertLess(performance.now() - leftMs, 2_000);
    // A second question would come 0.2 to 0.5 s after the reset.
    await until("1 s of silence", () => performance.now() - leftMs > 1_500);
    assertEquals(extproc.asked.length, 1);
    assertEquals(await envoy.stat("cluster.atenet_extproc.upstream_rq_retry"), 0);
    assertEquals(await envoy.stat("cluster.atenet_extproc.upstream_rq_active"), 0);
  });
}
