// The admin client's own HTTP: every form of answer, connections that misbehave, and no proxy.
import { assertEquals, assertRejects } from "@std/assert";
import { directFetch } from "../../src/envoy/admin_http.ts";

/** A server that reads a request, writes `answer` and closes; what it read is in `heard`. */
async function withServer(
  answer: string | undefined,
  use: (url: string, heard: () => string) => Promise<void>,
): Promise<void> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  let heard = "";
  const conns: Deno.Conn[] = [];
  const serving = (async () => {
    for await (const conn of listener) {
      conns.push(conn);
      const buffer = new Uint8Array(4_096);
      heard = new TextDecoder().decode(buffer.subarray(0, await conn.read(buffer) ?? 0));
      if (answer === undefined) continue;
      await conn.write(new TextEncoder().encode(answer));
      conn.closeWrite();
    }
  })();
  try {
    await use(`http://127.0.0.1:${listener.addr.port}`, () => heard);
  } finally {
    listener.close();
    for (const conn of conns) conn.close();
    await serving;
  }
}

const ANSWERS: readonly [name: string, answer: string, status: number, body: string][] = [
  ["a length", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", 200, "abc"],
  ["no length", "HTTP/1.1 503 No\r\n\r\nDRAINING\n", 503, "DRAINING\n"],
  [
    "chunks",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n",
    200,
    "abcde",
  ],
  [
    "an empty chunked body",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    200,
    "",
  ],
  ["letters of two bytes", "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n\u00e4\u00e4", 200, "ää"],
  ["no content", "HTTP/1.1 204 No Content\r\n\r\n", 204, ""],
];

for (const [name, answer, status, body] of ANSWERS) {
  Deno.test(`directFetch() reads an answer with ${name}`, async () => {
    await withServer(answer, async (url) => {
      const response = await directFetch(`${url}/x`, {});
      assertEquals([response.status, await response.text()], [status, body]);
    });
  });
}

Deno.test("directFetch() takes HTTP/1.0 and tells the type of the body", async () => {
  const answer = "HTTP/1.0 200 OK\r\nServer: x\r\nContent-Type: text/html\r\n\r\n<p>";
  await withServer(answer, async (url) => {
    const response = await directFetch(url, {});
    assertEquals(response.headers.get("content-type"), "text/html");
    assertEquals(await response.text(), "<p>");
  });
});

const BROKEN: readonly [name: string, answer: string, why: string][] = [
  ["nothing", "", "the answer is not HTTP/1"],
  ["no HTTP", "220 smtp ready\r\n\r\n", "the answer is not HTTP/1"],
  ["half a head", "HTTP/1.1 200 OK\r\ncontent-le", "the answer is not HTTP/1"],
  ["half a body", "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc", "the answer is cut"],
  [
    "half a chunk",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nabc",
    "the answer is cut",
  ],
  [
    "no last chunk",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n",
    "the answer is cut",
  ],
];

for (const [name, answer, why] of BROKEN) {
  Deno.test(`directFetch() refuses ${name}`, async () => {
    await withServer(answer, async (url) => {
      await assertRejects(() => directFetch(`${url}/`, {}), Error, why);
    });
  });
}

Deno.test("directFetch() sends the method, path and query it was given", async () => {
  await withServer("HTTP/1.1 200 OK\r\n\r\n", async (url, heard) => {
    await directFetch(`${url}/healthcheck/fail?a=b%20c`, { method: "POST" });
    const host = url.replace("http://", "");
    assertEquals(heard().split("\r\n").slice(0, 2), [
      "POST /healthcheck/fail?a=b%20c HTTP/1.1",
      `host: ${host}`,
    ]);
  });
});

Deno.test("directFetch() gives up when told to, and leaves nothing open", async () => {
  await withServer(undefined, async (url, heard) => {
    const abort = new AbortController();
    const call = directFetch(`${url}/`, { signal: abort.signal });
    while (heard() === "") await new Promise((resolve) => setTimeout(resolve, 1));
    abort.abort(new Error("enough"));
    await assertRejects(() => call, Error, "enough");
    await assertRejects(() => directFetch(url, { signal: abort.signal }), Error, "enough");
  });
});

Deno.test("directFetch() reaches IPv6 in brackets", async () => {
  const server = Deno.serve({ hostname: "::1", port: 0, onListen() {} }, () => new Response("six"));
  const response = await directFetch(`http://[::1]:${server.addr.port}/`, {});
  assertEquals(await response.text(), "six");
  await server.shutdown();
});

Deno.test("a proxy of the environment is not asked for Envoy's admin interface", async () => {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => new Response("direct"),
  );
  const module = new URL("../../src/envoy/admin_http.ts", import.meta.url).href;
  const script = `const { directFetch } = await import(${JSON.stringify(module)});
    console.log(await (await directFetch("http://127.0.0.1:${server.addr.port}/", {})).text());`;
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", script],
    env: { HTTP_PROXY: "http://127.0.0.1:1", http_proxy: "http://127.0.0.1:1" },
  }).output();
  assertEquals(new TextDecoder().decode(stdout), "direct\n");
  await server.shutdown();
});
