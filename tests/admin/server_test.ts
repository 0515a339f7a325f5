import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { buildSnapshot } from "../../src/admin/build_snapshot.ts";
import { DrainWaiters } from "../../src/admin/drain_wait.ts";
import { type AdminOptions, type AdminServer, serveAdmin } from "../../src/admin/server.ts";
import { statuszPage } from "../../src/admin/statusz.ts";
import { monotonicClock } from "../../src/process/platform.ts";
import { until } from "../support/until.ts";
import { denied, record } from "../telemetry/_records.ts";
import { sources } from "./_sources.ts";

interface Up {
  readonly server: AdminServer;
  readonly waiters: DrainWaiters;
  readonly faults: string[];
  get(path: string, init?: RequestInit): Promise<Response>;
}

async function withServer(
  work: (up: Up) => Promise<void>,
  more: Partial<AdminOptions> = {},
): Promise<void> {
  const clock = monotonicClock();
  const waiters = new DrainWaiters(clock, 51_000);
  const faults: string[] = [];
  const server = serveAdmin({
    hostname: "127.0.0.1",
    port: 0,
    clock,
    ready: () => true,
    snapshot: () => buildSnapshot(sources()),
    page: statuszPage,
    waiters,
    onFault: (what, error) => faults.push(`${what}: ${error}`),
    ...more,
  });
  const get = (path: string, init?: RequestInit) =>
    fetch(`http://127.0.0.1:${server.port}${path}`, init);
  try {
    await work({ server, waiters, faults, get });
  } finally {
    waiters.release();
    await server.close();
  }
}

async function read(response: Response): Promise<[number, string]> {
  return [response.status, await response.text()];
}

Deno.test("/healthz says the process is up, /readyz whether it is ready", async () => {
  let ready = false;
  await withServer(async ({ get }) => {
    assertEquals(await read(await get("/healthz")), [200, "ok\n"]);
    assertEquals(await read(await get("/readyz")), [503, "not ready\n"]);
    ready = true;
    assertEquals(await read(await get("/readyz")), [200, "ready\n"]);
  }, { ready: () => ready });
});

Deno.test("/statusz is HTML for browsers and JSON for who asks for it", async () => {
  const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
  const table: [string, string | undefined, string][] = [
    ["/statusz", undefined, "text/html"],
    ["/statusz", browser, "text/html"],
    ["/statusz", `application/json, ${browser}`, "text/html"],
    ["/statusz", "application/json", "application/json"],
    ["/statusz", "Application/JSON; q=0.9, */*;q=0.1", "application/json"],
    ["/statusz?format=json", browser, "application/json"],
    ["/statusz?format=html", "application/json", "text/html"],
    ["/statusz?format=xml", undefined, "text/plain"],
  ];
  await withServer(async ({ get }) => {
    for (const [path, accept, type] of table) {
      const response = await get(path, accept === undefined ? {} : { headers: { accept } });
      assertStringIncludes(response.headers.get("content-type") ?? "", type, `${path} ${accept}`);
      await response.body?.cancel();
    }
    const json = await (await get("/statusz?format=json")).json();
    assertEquals(json.parking, { enabled: true, active: 3, max_parked: 1024, max_wait: "5s" });
    assertEquals([json.schema, json.name, json.state], [1, "atenet-router", "serving"]);
  });
});

Deno.test("the page refreshes only when asked, by a whole number of seconds", async () => {
  const table: [string, boolean][] = [
    ["2", true],
    ["3600", true],
    ["0", false],
    ["3601", false],
    ["-1", false],
    ["1.5", false],
    ["2;url=//evil", false],
    ["", false],
  ];
  await withServer(async ({ get }) => {
    for (const [value, refreshed] of table) {
      const html = await (await get(`/statusz?refresh=${encodeURIComponent(value)}`)).text();
      assertEquals(html.includes('http-equiv="refresh"'), refreshed, value);
      assert(!html.includes("evil"));
    }
    assert(!(await (await get("/statusz")).text()).includes("http-equiv"));
  });
});

Deno.test("GET and HEAD only", async () => {
  await withServer(async ({ get }) => {
    for (const path of ["/statusz", "/healthz", "/readyz", "/drain/wait", "/nowhere"]) {
      for (const method of ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"]) {
        const response = await get(path, { method });
        assertEquals([response.status, response.headers.get("allow")], [405, "GET, HEAD"]);
        await response.body?.cancel();
      }
    }
    const head = await get("/statusz?format=json", { method: "HEAD" });
    assertEquals([head.status, await head.text()], [200, ""]);
    assert(Number(head.headers.get("content-length")) > 1_000);
    const down = await get("/nowhere", { method: "HEAD" });
    assertEquals([down.status, await down.text()], [404, ""]);
  });
});

Deno.test("unknown paths are 404, the root names the others", async () => {
  await withServer(async ({ get }) => {
    assertEquals((await read(await get("/metrics")))[0], 404);
    assertEquals((await read(await get("/statusz/")))[0], 404);
    assertStringIncludes((await read(await get("/")))[1], "/statusz");
  });
});

Deno.test("answers are not cached, not sniffed, and HTML has a strict policy", async () => {
  await withServer(async ({ get }) => {
    const page = await get("/statusz");
    await page.body?.cancel();
    assertEquals(page.headers.get("cache-control"), "no-store");
    assertEquals(page.headers.get("x-content-type-options"), "nosniff");
    assertEquals(page.headers.get("referrer-policy"), "no-referrer");
    const policy = page.headers.get("content-security-policy") ?? "";
    assertStringIncludes(policy, "default-src 'none'");
    assert(!policy.includes("unsafe"), policy);
    assert(!policy.includes("script-src"), policy);
  });
});

Deno.test("everything from the wire is escaped in HTML", async () => {
  const evil = `<script>alert(1)</script>"'&`;
  const recent = () => [
    record(denied({ outcome: "invalid_host" }), { actor: undefined, host: evil, path: `/${evil}` }),
  ];
  await withServer(async ({ get }) => {
    const html = await (await get("/statusz")).text();
    assert(!html.includes("<script"), "a tag from the wire");
    assertStringIncludes(html, "&#60;script&#62;");
  }, { snapshot: () => buildSnapshot(sources({ recent })) });
});

Deno.test("a fault of our own is a bland 500 and is reported", async () => {
  const snapshot = () => {
    throw new Error("secret detail");
  };
  await withServer(async ({ get, faults }) => {
    assertEquals(await read(await get("/statusz")), [500, "internal error\n"]);
    assertEquals(faults, ["status server: Error: secret detail"]);
    assertEquals((await read(await get("/healthz")))[0], 200);
  }, { snapshot });
});

Deno.test("/drain/wait answers when released; beyond 16 waiters 503", async () => {
  await withServer(async ({ get, waiters }) => {
    waiters.begin();
    const waiting = Array.from({ length: 16 }, () => get("/drain/wait").then(read));
    while (waiters.waiting < 16) await new Promise((resolve) => setTimeout(resolve, 1));
    assertEquals(await read(await get("/drain/wait")), [503, "too many waiters\n"]);
    waiters.release();
    for (const answer of await Promise.all(waiting)) assertEquals(answer, [200, "drained\n"]);
    assertEquals(await read(await get("/drain/wait")), [200, "drained\n"]);
  });
});

Deno.test("a client that leaves /drain/wait gives its place back", async () => {
  await withServer(async ({ get, waiters }) => {
    waiters.begin();
    for (let round = 0; round < 3; round++) {
      const abort = new AbortController();
      const gone = Array.from(
        { length: 16 },
        () => get("/drain/wait", { signal: abort.signal }).catch(() => undefined),
      );
      await until("all places to be taken", () => waiters.waiting === 16);
      abort.abort();
      await Promise.all(gone);
      await until("all places to be free", () => waiters.waiting === 0);
    }
    const stays = get("/drain/wait").then(read);
    await until("the hook to wait", () => waiters.waiting === 1);
    waiters.release();
    assertEquals(await stays, [200, "drained\n"]);
  });
});

Deno.test("a Host header that is no host is nobody's business, and no fault of ours", async () => {
  await withServer(async ({ server, faults }) => {
    for (const host of ["<script>", "a b", "[::", "evil.example:99999", ""]) {
      const conn = await Deno.connect({ hostname: "127.0.0.1", port: server.port });
      await conn.write(new TextEncoder().encode(`GET /healthz HTTP/1.1\r\nHost: ${host}\r\n\r\n`));
      assertStringIncludes(await new Response(conn.readable).text(), "HTTP/1.1 200 OK", host);
    }
    assertEquals(faults, []);
  });
});

Deno.test("B51: an occupied address is an error that names it", async () => {
  await withServer(({ server }) => {
    const again = () => {
      serveAdmin({
        hostname: "127.0.0.1",
        port: server.port,
        clock: monotonicClock(),
        ready: () => true,
        snapshot: () => buildSnapshot(sources()),
        page: statuszPage,
        waiters: new DrainWaiters(monotonicClock(), 1),
        onFault: () => {},
      });
    };
    assertThrows(again, Error, `Cannot listen as status server: 127.0.0.1:${server.port}`);
    return Promise.resolve();
  });
});

Deno.test("an IPv6 address may have brackets", async () => {
  await withServer(({ server }) => {
    assertEquals(server.hostname, "::1");
    return Promise.resolve();
  }, { hostname: "[::1]" });
});

Deno.test("close is bounded although a client keeps its request open, and idempotent", async () => {
  const beganMs = performance.now();
  await withServer(async ({ get, server, waiters }) => {
    const waiting = get("/drain/wait").catch(() => undefined);
    while (waiters.waiting < 1) await new Promise((resolve) => setTimeout(resolve, 1));
    await Promise.all([server.close(), server.close()]);
    await waiting.then((response) => response?.body?.cancel());
  });
  assert(performance.now() - beganMs < 3_000);
});
