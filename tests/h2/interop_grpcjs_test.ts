// Interop with npm:@grpc/grpc-js, both ways.
import * as grpc from "@grpc/grpc-js";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { Buffer } from "node:buffer";
import { systemClock } from "../../src/h2/clock.ts";
import type { CallEnd, ClientConnection } from "../../src/h2/grpc/types.ts";
import { dialGrpc } from "../../src/h2/grpc_client.ts";
import { until } from "../support/until.ts";
import { Call, shownEnd } from "./_client_side.ts";
import { BIDI, EchoServer, UNARY } from "./_echo.ts";
import { text } from "./_frames.ts";

const LIMITS = {
  "grpc.max_receive_message_length": 16 << 20,
  "grpc.max_send_message_length": 16 << 20,
};

function bytes(value: Uint8Array): Buffer {
  return Buffer.from(value);
}

// ---------------------------------------------------------------- their client, our server

class JsClient implements Disposable {
  readonly client: grpc.Client;

  constructor(port: number) {
    const insecure = grpc.credentials.createInsecure();
    this.client = new grpc.Client(`127.0.0.1:${port}`, insecure, LIMITS);
  }

  /** How a call ended, in the words of the other interop tests. */
  ask(words: string | Uint8Array, options: grpc.CallOptions = {}, path = UNARY): Promise<string> {
    const message = typeof words === "string" ? text(words) : words;
    const metadata = new grpc.Metadata();
    metadata.set("x-peer", "grpc-js");
    return new Promise((resolve) => {
      this.client.makeUnaryRequest(
        path,
        bytes,
        (answer: Buffer) => answer,
        message,
        metadata,
        options,
        (error, answer) => {
          if (error) return resolve(`status ${error.code} ${error.details}`);
          const size = answer?.length ?? 0;
          resolve(size > 60 ? `ok ${size} bytes` : `ok ${answer}`);
        },
      );
    });
  }

  [Symbol.dispose](): void {
    this.client.close();
  }
}

Deno.test("grpc-js's client against our server: unary, status, metadata, sizes", async () => {
  await using echo = await EchoServer.start();
  using peer = new JsClient(echo.port);
  assertEquals(await peer.ask("hello there"), "ok hello there");
  assertEquals(await peer.ask(""), "ok ");
  assertEquals(await peer.ask("status 8 no free % ☂"), "status 8 no free % ☂");
  assertEquals(await peer.ask("metadata x-peer"), "ok grpc-js");
  assertEquals(await peer.ask("deadline"), "ok false");
  assertEquals(await peer.ask("deadline", { deadline: Date.now() + 5000 }), "ok true");
  assertEquals(await peer.ask(new Uint8Array(5_000_000)), "ok 5000000 bytes");
  assertEquals(await peer.ask("size 5000000"), "ok 5000000 bytes");
  assertMatch(await peer.ask("x", {}, "/no.Such/Method"), /^status 12 /);
  assertEquals(echo.faults, []);
});

Deno.test("grpc-js's client against our server: bidirectional, cancellation, deadline", async () => {
  await using echo = await EchoServer.start();
  using peer = new JsClient(echo.port);
  const heard: string[] = [];
  const stream = peer.client.makeBidiStreamRequest(BIDI, bytes, (answer: Buffer) => `${answer}`);
  stream.on("data", (message: string) => heard.push(message));
  let status: grpc.StatusObject | undefined;
  stream.on("status", (how: grpc.StatusObject) => status = how);
  for (const word of ["a", "bc", ""]) stream.write(text(word));
  await until("three echoes", () => heard.length === 3);
  stream.end();
  await until("a status", () => status);
  assertEquals([heard, status?.code], [["a", "bc", ""], 0]);
  const cut = peer.client.makeBidiStreamRequest(BIDI, bytes, (answer: Buffer) => answer);
  cut.on("error", () => {});
  cut.on("data", () => cut.cancel());
  cut.write(text("x"));
  await until("both closed", () => echo.events.length === 2);
  assertMatch(await peer.ask("wait 10000", { deadline: Date.now() + 100 }), /^status 4 /);
  await until("all closed", () => echo.server.counts().streams === 0);
});

Deno.test("grpc-js's client against our server: GOAWAY in mid-call loses nothing", async () => {
  await using echo = await EchoServer.start();
  using peer = new JsClient(echo.port);
  const calls = Array.from({ length: 20 }, () => peer.ask("wait 300"));
  await until("the calls", () => echo.server.counts().streams === 20);
  echo.server.goAway();
  assertEquals(await Promise.all(calls), calls.map(() => "ok waited"));
});

// ---------------------------------------------------------------- our client, their server

class JsServer implements AsyncDisposable {
  cancelled = 0;
  readonly #server = new grpc.Server(LIMITS);

  async listen(): Promise<number> {
    const raw = {
      requestSerialize: bytes,
      requestDeserialize: (message: Buffer) => message,
      responseSerialize: bytes,
      responseDeserialize: (message: Buffer) => message,
    };
    this.#server.addService({
      Unary: { path: UNARY, requestStream: false, responseStream: false, ...raw },
      Bidi: { path: BIDI, requestStream: true, responseStream: true, ...raw },
    }, {
      Unary: (
        call: grpc.ServerUnaryCall<Buffer, Uint8Array>,
        answer: grpc.sendUnaryData<Uint8Array>,
      ) => this.#unary(call, answer),
      Bidi: (call: grpc.ServerDuplexStream<Buffer, Uint8Array>) => {
        call.on("data", (message) => call.write(message));
        call.on("end", () => call.end());
        call.on("error", () => {});
        call.on("cancelled", () => this.cancelled++);
      },
    });
    return await new Promise((resolve, reject) => {
      const insecure = grpc.ServerCredentials.createInsecure();
      this.#server.bindAsync("127.0.0.1:0", insecure, (error, port) => {
        if (error) reject(error);
        else resolve(port);
      });
    });
  }

  #unary(
    call: grpc.ServerUnaryCall<Buffer, Uint8Array>,
    answer: grpc.sendUnaryData<Uint8Array>,
  ): void {
    const { request } = call;
    const [word = "", first = "", ...rest] = request.length > 200 ? [] : `${request}`.split(" ");
    if (word === "status") answer({ code: Number(first), details: rest.join(" ") });
    else if (word === "size") answer(null, new Uint8Array(Number(first)));
    else if (word === "metadata") answer(null, text(call.metadata.get(first).join(",")));
    else if (word === "wait") {
      const timer = setTimeout(() => answer(null, request), Number(first));
      call.on("cancelled", () => {
        clearTimeout(timer);
        this.cancelled++;
      });
    } else answer(null, request);
  }

  /** Graceful: GOAWAY, then waits for the calls in progress. */
  stop(): Promise<void> {
    return new Promise((resolve) => this.#server.tryShutdown(() => resolve()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#server.forceShutdown();
    return Promise.resolve();
  }
}

function dial(port: number, told: string[] = []): Promise<ClientConnection> {
  return dialGrpc({
    hostname: "127.0.0.1",
    port,
    authority: `127.0.0.1:${port}`,
    clock: systemClock,
    maxMessageBytes: 16 << 20,
    onDraining: (why) => told.push(`draining: ${why}`),
    onClosed: (why) => told.push(`closed: ${why}`),
  });
}

function start(on: ClientConnection, words: string, timeoutMs?: number): Call {
  const call = new Call();
  const metadata: [string, string][] = [["x-a", "one"]];
  const deadline = timeoutMs === undefined ? {} : { timeoutMs };
  on.call({ path: UNARY, message: text(words), metadata, ...deadline }, call);
  return call;
}

async function ask(on: ClientConnection, words: string, timeoutMs?: number): Promise<string> {
  const call = start(on, words, timeoutMs);
  return await until(`an answer to ${words}`, () => call.ends[0]);
}

Deno.test("our client against grpc-js's server: unary, status, metadata, sizes", async () => {
  await using server = new JsServer();
  const client = await dial(await server.listen());
  assertEquals(await ask(client, "hello there"), "ok hello there");
  assertEquals(await ask(client, ""), "ok ");
  assertEquals(await ask(client, "status 9 no free % ☂"), "status 9 no free % ☂");
  assertEquals(await ask(client, "metadata x-a"), "ok one");
  const big = start(client, "size 5000000");
  await until("the big answer", () => big.ends.length);
  assert(big.end?.kind === "ok" && big.end.message.length === 5_000_000);
  assertEquals(await ask(client, "x".repeat(100_000)).then((end) => end.length), 100_003);
  const calls = Array.from({ length: 300 }, (_, n) => start(client, `n${n}`));
  await until("all answers", () => calls.every(({ ends }) => ends.length === 1));
  assertEquals(calls.map(({ ends }) => ends[0]), calls.map((_, n) => `ok n${n}`));
  await client.close();
});

Deno.test("our client against grpc-js's server: bidirectional, cancellation, deadline", async () => {
  await using server = new JsServer();
  const client = await dial(await server.listen());
  const heard: string[] = [];
  let end: CallEnd | undefined;
  const stream = client.open(BIDI, [], {
    message: (message) => heard.push(new TextDecoder().decode(message)),
    ended: (how) => end = how,
  });
  for (const word of ["a", "bc", ""]) stream?.send(text(word));
  stream?.halfClose();
  await until("the end", () => end);
  assertEquals([heard, end && shownEnd(end)], [["a", "bc", ""], "status 0 "]);
  const cut = client.open(BIDI, [], { message: () => cut?.cancel(), ended() {} });
  cut?.send(text("x"));
  assertMatch(await ask(client, "wait 10000", 100), /^(deadline|status 4 )/);
  await until("both are known there", () => server.cancelled >= 2);
  await client.close();
});

Deno.test("our client against grpc-js's server: GOAWAY in mid-call", async () => {
  await using server = new JsServer();
  const told: string[] = [];
  const client = await dial(await server.listen(), told);
  const calls = Array.from({ length: 20 }, () => start(client, "wait 400"));
  await ask(client, "all there");
  const stopped = server.stop();
  await until("draining", () => client.state !== "open");
  assertMatch(await ask(client, "late"), /^lost goaway unprocessed/);
  await until("all answers", () => calls.every(({ ends }) => ends.length === 1));
  assertEquals(calls.map(({ ends }) => ends[0]), calls.map(() => "ok wait 400"));
  await stopped;
  await until("closed", () => told.length === 2);
});
