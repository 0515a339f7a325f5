// Contract of dials and servers: blanks around a header value. A peer may not send them, and common
// ones do (percent-encoding leaves a blank at the end of a grpc-message as it is): they cost what they
// stand around at most, never the call.
import { assert, assertEquals } from "@std/assert";
import {
  block,
  concat,
  data,
  END_HEADERS,
  END_STREAM,
  FrameReader,
  grpcHead,
  headers,
  type Heard,
  message,
  PREFACE,
  settings,
  settingsAck,
  shown,
} from "../h2/_frames.ts";
import { until } from "../support/until.ts";
import { DialStage } from "./dial_stage.ts";
import { dialTest, serverTest } from "./implementations.ts";
import { ServerStage } from "./server_stage.ts";

type Fields = [name: string, value: string][];

const RESPONSE: Fields = [[":status", "200"], ["content-type", "application/grpc"]];
const LAST = END_HEADERS | END_STREAM;

/** Reads frames until the connection ends; `skip` bytes are no frames. */
async function listen(
  conn: Deno.TcpConn,
  skip: number,
  hears: (heard: Heard) => void,
): Promise<void> {
  const reader = new FrameReader();
  const buffer = new Uint8Array(65_536);
  for (let left = skip;;) {
    const count = await conn.read(buffer).catch(() => null);
    if (count === null) break;
    const from = Math.min(left, count);
    left -= from;
    for (const heard of reader.push(buffer.slice(from, count))) hears(heard);
  }
  conn.close();
}

/** A server of one connection that answers each request with the next of these. */
class Answering implements AsyncDisposable {
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #answers: ((id: number) => Uint8Array)[];
  readonly #running: Promise<void>;

  constructor(answers: ((id: number) => Uint8Array)[]) {
    this.#answers = answers;
    this.#running = this.#run();
  }

  get port(): number {
    return this.#listener.addr.port;
  }

  async #run(): Promise<void> {
    const conn = await this.#listener.accept();
    await conn.write(concat(settings(), settingsAck));
    await listen(conn, PREFACE.length, ({ type, id }) => {
      if (type === "HEADERS") void conn.write(this.#answers.shift()!(id));
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    await this.#running;
  }
}

/** A status in a head that is all of the response, or in trailers behind a head. */
function refusal(words: string, trailers: boolean): (id: number) => Uint8Array {
  const status: Fields = [["grpc-status", "8"], ["grpc-message", words], ["x-more", " y "]];
  return (id) =>
    trailers
      ? concat(headers(id, block(...RESPONSE)), headers(id, block(...status), LAST))
      : headers(id, block(...RESPONSE, ...status), LAST);
}

dialTest("blanks around a grpc-message leave the status an answer with its code", async (dial) => {
  const words = ["no free workers in pool: ", " no free workers", "\tno workers\t ", " "];
  const rows = words.flatMap((said) => [[said, false], [said, true]] as [string, boolean][]);
  await using server = new Answering(rows.map(([said, trailers]) => refusal(said, trailers)));
  await using stage = await DialStage.open(dial, server.port);
  for (const [said, trailers] of rows) {
    const end = await stage.call("a").end();
    assert(end.kind === "status", `${JSON.stringify(end)} for "${said}", ${trailers}`);
    assertEquals(end.code, 8, said);
    // A transport may lose such a message, but makes no other of it.
    assert(end.message === "" || end.message === said.trim(), end.message);
  }
});

dialTest("blanks around values of a good answer do not matter", async (dial) => {
  const good = (id: number) =>
    concat(
      headers(id, block(...RESPONSE, ["server", " x "])),
      data(id, message("hi")),
      headers(id, block(["grpc-status", "0"], ["grpc-message", " "], ["x-took", "1 ms "]), LAST),
    );
  await using server = new Answering([good]);
  await using stage = await DialStage.open(dial, server.port);
  const end = await stage.call("a").end();
  assert(end.kind === "ok", JSON.stringify(end));
  assertEquals(new TextDecoder().decode(end.message), "hi");
});

serverTest("blanks around a request's metadata do not cost the request", async (serve) => {
  await using stage = await ServerStage.start(serve, {
    react: (event, { stream }) => event === "halfClosed" && stream.end(0),
  });
  const conn = await Deno.connect({ hostname: "127.0.0.1", port: stage.server.port });
  const heard: string[] = [];
  const running = listen(conn, 0, (one) => heard.push(shown(one)));
  const head = grpcHead("/p.S/M", ["tracestate", "a=1 "], ["x-padded", "\t b "], ["x", "c"]);
  await conn.write(concat(PREFACE, settings(), settingsAck, headers(1, head)));
  await conn.write(data(1, message("hi"), END_STREAM));
  await until("the answer", () => heard.some((line) => / 1( END| code)/.test(line)));
  assert(heard.includes("HEADERS 1 END"), heard.join());
  const { stream, events } = await stage.nth(1);
  assertEquals(events.slice(0, 2), ["message:hi", "halfClosed"]);
  assertEquals(stream.metadata("x"), "c");
  const kept = [stream.metadata("tracestate"), stream.metadata("x-padded")];
  assert([["a=1", "b"], [undefined, undefined]].some((row) => `${row}` === `${kept}`), `${kept}`);
  await stage.server.close();
  await running;
});
