import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { HttpServer } from "../../src/http1/server.ts";
import { plainReply } from "../../src/http1/reply.ts";
import { exchange, withPages } from "./_pages.ts";

Deno.test("an answer is whole, says its length and ends its connection", async () => {
  await withPages(async ({ port }) => {
    const text = await exchange(port, "GET /hello HTTP/1.1\r\nHost: x\r\n\r\n");
    const [head = "", body] = text.split("\r\n\r\n");
    assertEquals(body, "hello ü\n");
    assertEquals(head.split("\r\n").filter((line) => !line.startsWith("date:")), [
      "HTTP/1.1 200 OK",
      "content-type: text/plain; charset=utf-8",
      "content-length: 9",
      "x-more: yes",
      "connection: close",
    ]);
    assertMatch(head, /\r\ndate: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r\n/);
  });
});

Deno.test("HEAD has the length of the body and not the body", async () => {
  await withPages(async ({ port }) => {
    const text = await exchange(port, "HEAD /hello HTTP/1.1\r\n\r\n");
    assertStringIncludes(text, "\r\ncontent-length: 9\r\n");
    assert(text.endsWith("\r\n\r\n"), "nothing behind the head");
  });
});

Deno.test("other methods are 405, with a body or without, and never reach the handler", async () => {
  await withPages(async ({ port, asked }) => {
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "get", "FOO"]) {
      const text = await exchange(
        port,
        `${method} /hello HTTP/1.1\r\nContent-Length: 30000\r\n\r\n${"x".repeat(30_000)}`,
      );
      assertStringIncludes(text, "HTTP/1.1 405 Method Not Allowed", method);
      assertStringIncludes(text, "\r\nallow: GET, HEAD\r\n", method);
    }
    assertEquals(asked, []);
  });
});

Deno.test("a head that is none gets its 400, 431 or 505", async () => {
  await withPages(async ({ port, asked, faults }) => {
    const table: [string, string][] = [
      ["nonsense\r\n\r\n", "400 Bad Request"],
      ["\u0016\u0003\u0001\r\n\r\n", "400 Bad Request"],
      ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "505 HTTP Version Not Supported"],
      [`GET /${"a".repeat(20_000)} HTTP/1.1\r\n\r\n`, "431 Request Header Fields Too Large"],
      [`GET / HTTP/1.1\r\na: ${"b".repeat(17_000)}`, "431 Request Header Fields Too Large"],
    ];
    for (const [sent, status] of table) {
      assertStringIncludes(await exchange(port, sent), `HTTP/1.1 ${status}\r\n`);
    }
    assertEquals([asked, faults], [[], []]);
  });
});

Deno.test("a head may come in pieces, and end with its half of the connection", async () => {
  await withPages(async ({ port }) => {
    const conn = await Deno.connect({ hostname: "127.0.0.1", port });
    for (const piece of ["GE", "T /hel", "lo HTTP/1.1\r", "\n\r", "\n"]) {
      await conn.write(new TextEncoder().encode(piece));
    }
    await conn.closeWrite();
    assertStringIncludes(await new Response(conn.readable).text(), "hello ü");
  });
});

Deno.test("a fault of the handler is a bland 500 and is reported", async () => {
  await withPages(async ({ port, faults }) => {
    for (const path of ["/throws", "/rejects"]) {
      const text = await exchange(port, `GET ${path} HTTP/1.1\r\n\r\n`);
      assertStringIncludes(text, "HTTP/1.1 500 Internal Server Error\r\n");
      assert(text.endsWith("\r\n\r\ninternal error\n"));
    }
    assertEquals(faults, ["test server: Error: secret 1", "test server: Error: secret 2"]);
  });
});

Deno.test("without a host every address is served, IPv4 and IPv6", async () => {
  await withPages(async ({ port }) => {
    for (const hostname of ["127.0.0.1", "::1"]) {
      const text = await exchange(port, "GET /hello HTTP/1.1\r\n\r\n", hostname);
      assertStringIncludes(text, "HTTP/1.1 200 OK", hostname);
    }
  }, { hostname: "" });
});

Deno.test("B51: every form of an occupied address is an error that names it", async () => {
  for (const hostname of ["127.0.0.1", "[::1]", "0.0.0.0", "::", ""]) {
    await withPages(({ port, clock, onFault }) => {
      const options = { what: "test server", hostname, port, clock, onFault };
      const again = () => new HttpServer(options, () => plainReply(200, ""));
      const bare = hostname.replace(/[[\]]/g, "");
      assertThrows(again, Error, `Cannot listen as test server: ${bare}:${port}: `);
      return Promise.resolve();
    }, { hostname });
  }
});
