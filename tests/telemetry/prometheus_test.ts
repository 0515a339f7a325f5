import { assertEquals, assertThrows } from "@std/assert";
import { monotonicClock } from "../../src/process/platform.ts";
import { listenAddress, servePrometheus } from "../../src/telemetry/prometheus.ts";

Deno.test("listen addresses are those of Go programs", () => {
  assertEquals(listenAddress(""), undefined);
  const table: [string, string, number][] = [
    [":9090", "", 9090],
    ["127.0.0.1:0", "127.0.0.1", 0],
    ["[::1]:9090", "::1", 9090],
    ["[]:1", "", 1],
    ["localhost:65535", "localhost", 65_535],
  ];
  for (const [text, hostname, port] of table) {
    assertEquals(listenAddress(text), { hostname, port }, text);
  }
  for (const text of ["9090", "a", ":", "::1:9090", ":65536", ":1x", "[::1]", "a:b:1"]) {
    assertThrows(() => listenAddress(text), RangeError, `metrics address: ${text}`);
  }
});

Deno.test("the page answers GET and HEAD on /metrics and says what a failure is", async () => {
  let fail = false;
  const faults: string[] = [];
  const server = servePrometheus({
    hostname: "127.0.0.1",
    port: 0,
    clock: monotonicClock(),
    page: () => fail ? Promise.reject(new Error("secret")) : Promise.resolve("up 1\n"),
    onFault: (what, error) => faults.push(`${what}: ${error}`),
  });
  const get = async (path: string, method = "GET") => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { method });
    return [response.status, await response.text(), response.headers.get("content-type")];
  };
  const type = "text/plain; version=0.0.4; charset=utf-8";
  assertEquals(await get("/metrics"), [200, "up 1\n", type]);
  assertEquals(await get("/metrics?x=1"), [200, "up 1\n", type]);
  assertEquals(await get("/metrics", "HEAD"), [200, "", type]);
  assertEquals((await get("/"))[0], 404);
  assertEquals((await get("/metrics", "POST"))[0], 405);
  fail = true;
  assertEquals((await get("/metrics")).slice(0, 2), [500, "internal error\n"]);
  assertEquals(faults, ["metrics server: Error: secret"]);
  await server.close();
  await server.close();
});

Deno.test("B51: an occupied address is an error that names it", async () => {
  const clock = monotonicClock();
  const options = { hostname: "127.0.0.1", clock, page: () => Promise.resolve(""), onFault() {} };
  const server = servePrometheus({ ...options, port: 0 });
  assertThrows(
    () => servePrometheus({ ...options, port: server.port }),
    Error,
    `Cannot listen as metrics server: 127.0.0.1:${server.port}`,
  );
  await server.close();
});
