// A scripted ext_proc server for tests of Envoy's configuration: what it answers is up to the test,
// wrong answers included. Over npm:@grpc/grpc-js.
import * as grpc from "@grpc/grpc-js";
import { Buffer } from "node:buffer";
import {
  decodeRequest,
  encodeResponse,
  headersOf,
  PROCESS_PATH,
  type ProcessingRequest,
  type ProcessingResponse,
} from "./ext_proc_messages.ts";

/** One message from Envoy and the means to answer it. */
export interface Asked {
  readonly message: ProcessingRequest;
  /** Of a RequestHeaders message. */
  readonly headers: Map<string, string>;
  /** gRPC metadata of the stream. */
  metadata(name: string): string | undefined;
  reply(message: ProcessingResponse): void;
  /** Ends the stream; code 0 = OK. */
  end(code?: number, message?: string): void;
}

/** Hears every message. */
export type Script = (asked: Asked) => void;

/** A running scripted server. Dispose of it, or `stop()`. */
export class ScriptedExtProc implements AsyncDisposable {
  readonly #server: grpc.Server;
  #port = 0;
  /** Every message so far. */
  readonly asked: Asked[] = [];
  script: Script;
  /** False: Envoy's half-close is not answered. */
  endOnHalfClose = true;
  /** Streams that are gone. */
  gone = 0;

  private constructor(server: grpc.Server, script: Script) {
    this.#server = server;
    this.script = script;
  }

  get port(): number {
    return this.#port;
  }

  static async start(script: Script, port = 0): Promise<ScriptedExtProc> {
    const server = new grpc.Server({ "grpc.max_concurrent_streams": 100_000 });
    const self = new ScriptedExtProc(server, script);
    server.addService({
      Process: {
        path: PROCESS_PATH,
        requestStream: true,
        responseStream: true,
        requestSerialize: (bytes: Uint8Array) => Buffer.from(bytes),
        requestDeserialize: (bytes: Uint8Array) => bytes,
        responseSerialize: (bytes: Uint8Array) => Buffer.from(bytes),
        responseDeserialize: (bytes: Uint8Array) => bytes,
      },
    }, {
      Process: (call: grpc.ServerDuplexStream<Uint8Array, Uint8Array>) => self.#serve(call),
    });
    self.#port = await new Promise<number>((resolve, reject) => {
      const credentials = grpc.ServerCredentials.createInsecure();
      server.bindAsync(
        `127.0.0.1:${port}`,
        credentials,
        (error, got) => error ? reject(error) : resolve(got),
      );
    });
    return self;
  }

  #serve(call: grpc.ServerDuplexStream<Uint8Array, Uint8Array>): void {
    call.on("error", () => {});
    call.on("end", () => {
      if (this.endOnHalfClose) call.end();
    });
    call.on("cancelled", () => this.gone++);
    call.on("data", (bytes: Uint8Array) => {
      const message = decodeRequest(bytes);
      const asked: Asked = {
        message,
        headers: headersOf(message),
        metadata: (name) => call.metadata.get(name)[0]?.toString(),
        reply: (reply) => call.write(encodeResponse(reply)),
        end: (code = 0, details = "") => {
          if (code === 0) call.end();
          else call.emit("error", { code, details });
        },
      };
      this.asked.push(asked);
      this.script(asked);
    });
  }

  /** Cuts everything. Idempotent. */
  stop(): Promise<void> {
    this.#server.forceShutdown();
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}
