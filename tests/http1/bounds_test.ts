// What clients can cost that ask slowly, never, or do not take their answer.
import { assertEquals, assertStringIncludes } from "@std/assert";
import { HTTP_LIMITS } from "../../src/http1/limits.ts";
import { runSeed, seeded } from "../support/seeded.ts";
import { until } from "../support/until.ts";
import { ask, exchange, type Pages, withPages } from "./_pages.ts";

const HALF = "GET /hello HTTP/1.1\r\nX-Slow: ";
const HELLO = "GET /hello HTTP/1.1\r\n\r\n";

/** Resolves when the server has ended the connection. */
async function ended(conn: Deno.Conn): Promise<void> {
  const chunk = new Uint8Array(65_536);
  try {
    while (await conn.read(chunk) !== null);
  } catch {
    // Reset: ended as well.
  }
  conn.close();
}

async function hold(pages: Pages, count: number, text: string): Promise<Deno.TcpConn[]> {
  const before = pages.server.held;
  const conns: Deno.TcpConn[] = [];
  for (let n = 0; n < count; n++) conns.push(await ask(pages.port, text));
  await until("the connections to arrive", () => pages.server.held >= before + count);
  return conns;
}

Deno.test("a head that does not come to its end costs its connection after 5 s", async () => {
  await withPages(async (pages) => {
    const [silent, half] = [await hold(pages, 1, ""), await hold(pages, 1, HALF)];
    pages.clock.advance(HTTP_LIMITS.headMs - 1);
    assertEquals(pages.server.held, 2);
    pages.clock.advance(1);
    assertEquals(pages.server.held, 0);
    await Promise.all([...silent, ...half].map(ended));
    assertEquals(pages.clock.armed, 0);
  });
});

Deno.test("a flood of silent clients takes the place of silent clients, never of a probe", async () => {
  await withPages(async (pages) => {
    const flood = await hold(pages, 4, HALF);
    for (let more = 0; more < 20; more++) {
      flood.push(await ask(pages.port, HALF));
      assertStringIncludes(await exchange(pages.port, HELLO), "200 OK");
    }
    await until("the bound to hold", () => pages.server.held <= 4);
    for (const conn of flood) conn.close();
  }, { limits: { connections: 4 } });
});

Deno.test("requests that are being answered are never closed for a newcomer", async () => {
  await withPages(async (pages) => {
    const waits = await hold(pages, 3, "GET /wait HTTP/1.1\r\n\r\n");
    await until("the requests to arrive", () => pages.waiting.size === 3);
    const late = await ask(pages.port, HELLO);
    await ended(late);
    for (const answer of [...pages.waiting]) answer();
    for (const conn of waits) {
      assertStringIncludes(await new Response(conn.readable).text(), "waited");
    }
    assertStringIncludes(await exchange(pages.port, HELLO), "200 OK");
  }, { limits: { connections: 3 } });
});

Deno.test("a client that leaves before its answer is noticed at once", async () => {
  await withPages(async (pages) => {
    const [conn] = await hold(pages, 1, "GET /wait HTTP/1.1\r\n\r\n");
    await until("the request to arrive", () => pages.waiting.size === 1);
    conn!.close();
    await until("the handler to know", () => pages.waiting.size === 0);
    assertEquals(pages.server.held, 1, "it might have ended its half only");
    pages.clock.advance(HTTP_LIMITS.lingerMs);
    assertEquals(pages.server.held, 0);
  });
});

Deno.test("a client that sends on and on is not read for ever", async () => {
  await withPages(async (pages) => {
    const [conn] = await hold(pages, 1, "GET /wait HTTP/1.1\r\n\r\n");
    await until("the request to arrive", () => pages.waiting.size === 1);
    const flood = new Uint8Array(16_384);
    for (let sent = 0; sent <= 8; sent++) await conn!.write(flood).catch(() => 0);
    await until("the handler to be told to give up", () => pages.waiting.size === 0);
    pages.clock.advance(HTTP_LIMITS.lingerMs);
    assertEquals(pages.server.held, 0);
    conn!.close();
  }, { limits: { strayBytes: 65_536 } });
});

Deno.test("clients that do not take their answer are few, and in nobody's way", async () => {
  await withPages(async (pages) => {
    const slow = await hold(pages, 2, "GET /big HTTP/1.1\r\n\r\n");
    await until("the answers to be under way", () => pages.asked.length === 2);
    pages.clock.advance(HTTP_LIMITS.writeMs);
    assertEquals(pages.server.held, 2, "closed, but the system keeps what was not taken");
    const refused = await exchange(pages.port, "GET /big HTTP/1.1\r\n\r\n");
    assertStringIncludes(refused, "503 Service Unavailable");
    assertStringIncludes(refused, "too many slow readers");
    assertStringIncludes(await exchange(pages.port, HELLO), "200 OK");
    for (const conn of slow) conn.close();
    await until("their descriptors to be back", () => pages.server.held === 0);
    assertStringIncludes(await exchange(pages.port, HELLO), "200 OK");
  }, { limits: { stuck: 2 } });
});

Deno.test("close lets answers that are under way end, and waits for nobody else", async () => {
  await withPages(async (pages) => {
    const silent = await hold(pages, 2, HALF);
    const [conn] = await hold(pages, 1, "GET /wait HTTP/1.1\r\n\r\n");
    await until("the request to arrive", () => pages.waiting.size === 1);
    const closed = pages.server.close();
    await Promise.all(silent.map(ended));
    for (const answer of [...pages.waiting]) answer();
    assertStringIncludes(await new Response(conn!.readable).text(), "waited");
    await closed;
    assertEquals([pages.server.held, pages.clock.armed], [0, 0]);
  });
});

Deno.test("close is bounded by 0.5 s whatever a handler does, and idempotent", async () => {
  await withPages(async (pages) => {
    const [conn] = await hold(pages, 1, "GET /wait HTTP/1.1\r\n\r\n");
    await until("the request to arrive", () => pages.waiting.size === 1);
    const closed = [pages.server.close(), pages.server.close()];
    pages.clock.advance(500);
    await Promise.all(closed);
    assertEquals(pages.server.held, 0);
    await ended(conn!);
  });
});

Deno.test("whatever bytes come, they are answered or dropped, and the next one is served", async () => {
  const seed = runSeed();
  const draw = seeded(seed);
  const pieces = [
    "GET ",
    "/hello",
    " HTTP/1.1",
    "\r\n",
    "\r",
    "\n",
    ":",
    "a",
    "\u0000",
    "é",
    "?",
    " ",
  ];
  await withPages(async (pages) => {
    for (let round = 0; round < 300; round++) {
      const count = 1 + Math.floor(draw() * 30);
      const text = Array.from({ length: count }, () => pieces[Math.floor(draw() * pieces.length)])
        .join("");
      const conn = await ask(pages.port, text);
      await conn.closeWrite();
      const answer = await new Response(conn.readable).text().catch(() => "");
      assertEquals(
        /^(HTTP\/1\.1 (200|400|404|405|505) [\s\S]*|)$/.test(answer),
        true,
        `seed ${seed}: ${JSON.stringify(text)} -> ${JSON.stringify(answer)}`,
      );
    }
    assertStringIncludes(await exchange(pages.port, HELLO), "200 OK", `seed ${seed}`);
    assertEquals(pages.faults, [], `seed ${seed}`);
  });
});
