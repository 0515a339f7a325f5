// Dialling on real sockets: TCP, the peer's SETTINGS, TLS with ALPN, client certificates and a name
// that differs from the address; every failure names the address and leaves nothing open.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { Buffer } from "node:buffer";
import http2 from "node:http2";
import tls from "node:tls";
import { systemClock } from "../../src/h2/clock.ts";
import type { ClientConnection, ClientTls } from "../../src/h2/grpc/types.ts";
import { dialGrpc } from "../../src/h2/grpc_client.ts";
import { until } from "../support/until.ts";
import { concat, goAway, settings } from "./_frames.ts";
import { Authority, type Pair } from "./_pki.ts";
import { Call } from "./_client_side.ts";

const NAME = "api.test";

function dial(port: number, more: { tls?: ClientTls; connectTimeoutMs?: number } = {}) {
  return dialGrpc({
    hostname: "127.0.0.1",
    port,
    authority: `${NAME}:443`,
    clock: systemClock,
    ...more,
  });
}

/** Why dialling failed. */
async function failure(dialled: Promise<ClientConnection>): Promise<string> {
  try {
    await (await dialled).close();
  } catch (error) {
    assert(error instanceof Error);
    return error.message;
  }
  return "";
}

/** A plain server that sends these bytes to whoever connects. */
function speaker(bytes: Uint8Array): { port: number; close: () => Promise<void> } {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open: Deno.Conn[] = [];
  const done = (async () => {
    try {
      for await (const socket of listener) {
        open.push(socket);
        if (bytes.length > 0) await socket.write(bytes);
      }
    } catch {
      // The listener was closed.
    }
  })();
  return {
    port: listener.addr.port,
    close: async () => {
      listener.close();
      for (const socket of open) socket.close();
      await done;
    },
  };
}

Deno.test("a refused port is named", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  assertMatch(
    await failure(dial(port)),
    new RegExp(`^Cannot connect as gRPC client: 127.0.0.1:${port}: .*refused`),
  );
});

Deno.test("an IPv6 address is named in brackets", async () => {
  const options = { hostname: "::1", port: 1, authority: "x", clock: systemClock };
  assertMatch(await failure(dialGrpc(options)), /^Cannot connect as gRPC client: \[::1\]:1: /);
});

Deno.test("a server that is mute, or speaks something else, is given up", async () => {
  const rows: [why: string, bytes: Uint8Array, problem: RegExp][] = [
    ["mute", new Uint8Array(0), /: timed out$/],
    ["HTTP/1.1", new TextEncoder().encode("HTTP/1.1 400 Bad Request\r\n\r\n"), /: frame above/],
    [
      "SETTINGS that are none",
      Uint8Array.of(0, 0, 0, 4, 1, 0, 0, 0, 0),
      /: SETTINGS must come first$/,
    ],
    [
      "GOAWAY with its SETTINGS",
      concat(settings(), goAway(0, 11, "full")),
      /takes no calls|GOAWAY/,
    ],
  ];
  for (const [why, bytes, problem] of rows) {
    const server = speaker(bytes);
    const message = await failure(dial(server.port, { connectTimeoutMs: 300 }));
    assertMatch(message, problem, why);
    await server.close();
  }
});

Deno.test("a server that closes at once is given up at once", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const accepted = listener.accept().then((socket) => socket.close());
  assertMatch(await failure(dial(listener.addr.port)), /: (closed by the peer|read failed)/);
  await accepted;
  listener.close();
});

/** A node HTTP/2 server over TLS that answers every call; `alpn` other than h2 = plain TLS. */
class TlsServer implements AsyncDisposable {
  readonly clients: string[] = [];
  readonly authorities: string[] = [];
  readonly #server: http2.Http2SecureServer | tls.Server;
  readonly #sockets = new Set<tls.TLSSocket>();

  constructor(pair: Pair, options: { ca?: string; alpn?: string } = {}) {
    const base = {
      cert: pair.cert,
      key: pair.key,
      ...(options.ca === undefined
        ? {}
        : { ca: options.ca, requestCert: true, rejectUnauthorized: true }),
    };
    this.#server = options.alpn === undefined
      ? http2.createSecureServer(base)
      : tls.createServer({ ...base, ALPNProtocols: [options.alpn] });
    this.#server.on("secureConnection", (socket: tls.TLSSocket) => {
      this.#sockets.add(socket);
      this.clients.push(String(socket.getPeerCertificate()?.subject?.CN));
      socket.on("error", () => {});
    });
    this.#server.on(
      "stream",
      (stream: http2.ServerHttp2Stream, head: http2.IncomingHttpHeaders) => {
        this.authorities.push(String(head[":authority"]));
        stream.respond({ ":status": 200, "content-type": "application/grpc" }, {
          waitForTrailers: true,
        });
        stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
        stream.end(Buffer.from([0, 0, 0, 0, 2, 111, 107]));
      },
    );
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", () => resolve()));
    return (this.#server.address() as { port: number }).port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

async function answered(connection: ClientConnection): Promise<string> {
  const call = new Call();
  connection.call({ path: "/p.S/M", message: new Uint8Array(3) }, call);
  return await until("an answer", () => call.ends[0]);
}

Deno.test("TLS: the name is verified, not the address; ALPN is h2", async () => {
  await using authority = await Authority.make();
  await using server = new TlsServer(await authority.issue(NAME));
  const port = await server.listen();
  const caCerts = [authority.ca];
  const connection = await dial(port, { tls: { serverName: NAME, caCerts } });
  assertEquals(await answered(connection), "ok ok");
  assertEquals(server.authorities, [`${NAME}:443`]);
  await connection.close();
  const wrongName = await failure(dial(port, { tls: { serverName: "other.test", caCerts } }));
  assertMatch(wrongName, /not match|not valid for name/);
  const unknown = await failure(dial(port, { tls: { serverName: NAME } }));
  assertMatch(unknown, /unable to|unknown ?issuer|self-signed/i);
});

Deno.test("TLS: the name may be an address", async () => {
  await using authority = await Authority.make();
  await using server = new TlsServer(await authority.issue("IP:127.0.0.1"));
  const port = await server.listen();
  const caCerts = [authority.ca];
  const connection = await dial(port, { tls: { serverName: "127.0.0.1", caCerts } });
  assertEquals(await answered(connection), "ok ok");
  await connection.close();
  assertMatch(
    await failure(dial(port, { tls: { serverName: "127.0.0.2", caCerts } })),
    /not match/,
  );
});

Deno.test("mTLS: the client's certificate is sent, and asked for", async () => {
  await using authority = await Authority.make();
  const [own, client] = [await authority.issue(NAME), await authority.issue("router.test")];
  await using server = new TlsServer(own, { ca: authority.ca });
  const port = await server.listen();
  const base = { serverName: NAME, caCerts: [authority.ca] };
  const connection = await dial(port, { tls: { ...base, ...client } });
  assertEquals(await answered(connection), "ok ok");
  assertEquals(server.clients, ["router.test"]);
  await connection.close();
  assert(await failure(dial(port, { tls: base })) !== "");
});

Deno.test("a server without h2 is refused", async () => {
  await using authority = await Authority.make();
  await using server = new TlsServer(await authority.issue(NAME), { alpn: "http/1.1" });
  const port = await server.listen();
  const tls = { serverName: NAME, caCerts: [authority.ca] };
  assertMatch(await failure(dial(port, { tls })), /ALPN|no ?application ?protocol/i);
});

Deno.test("a certificate that cannot be read is an error, not a connection without it", async () => {
  await using authority = await Authority.make();
  await using server = new TlsServer(await authority.issue(NAME));
  const port = await server.listen();
  const [good, other] = [await authority.issue("a.test"), await authority.issue("b.test")];
  const rows: [why: string, pair: Pair][] = [
    ["no certificate", { cert: "no", key: good.key }],
    ["no key", { cert: good.cert, key: "no" }],
    ["another's key", { cert: good.cert, key: other.key }],
    ["a certificate cut off", { cert: good.cert.slice(0, 200), key: good.key }],
  ];
  for (const [why, pair] of rows) {
    const tls = { serverName: NAME, caCerts: [authority.ca], ...pair };
    assertMatch(await failure(dial(port, { tls })), /^Cannot connect as gRPC client: /, why);
  }
});

Deno.test("plaintext spoken to a TLS server fails", async () => {
  await using authority = await Authority.make();
  await using server = new TlsServer(await authority.issue(NAME));
  const port = await server.listen();
  assert(await failure(dial(port, { connectTimeoutMs: 2000 })) !== "");
});
