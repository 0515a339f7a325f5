// A plain grpc-js client of ateapi.Control, for the tests of the simulator's edge.
import { Buffer } from "node:buffer";
import * as grpc from "@grpc/grpc-js";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  ObjectRefSchema,
  ResumeActorRequestSchema,
  type ResumeActorResponse,
  ResumeActorResponseSchema,
} from "../../src/gen/ateapi/ateapi_pb.ts";

export interface Reply {
  readonly code: number;
  readonly message: string;
  readonly response?: ResumeActorResponse;
}

export interface Resume {
  readonly reply: Promise<Reply>;
  cancel(): void;
}

export class AteapiClient implements Disposable {
  readonly #client: grpc.Client;

  constructor(address: string) {
    this.#client = new grpc.Client(address, grpc.credentials.createInsecure(), {
      "grpc.initial_reconnect_backoff_ms": 100,
      "grpc.max_reconnect_backoff_ms": 200,
    });
  }

  /** One ResumeActor; never rejects. */
  resume(name: string, options: { headers?: Record<string, string>; deadlineMs?: number } = {}) {
    const request = create(ResumeActorRequestSchema, {
      actor: create(ObjectRefSchema, { atespace: "demo", name }),
    });
    return this.call(
      "/ateapi.Control/ResumeActor",
      toBinary(ResumeActorRequestSchema, request),
      options,
    );
  }

  /** Any unary call with bytes of one's own. */
  call(
    path: string,
    bytes: Uint8Array,
    { headers = {}, deadlineMs }: { headers?: Record<string, string>; deadlineMs?: number } = {},
  ): Resume {
    const metadata = new grpc.Metadata();
    for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
    const { promise, resolve } = Promise.withResolvers<Reply>();
    const call = this.#client.makeUnaryRequest(
      path,
      (value: Uint8Array) => Buffer.from(value),
      (value: Buffer) => value,
      bytes,
      metadata,
      deadlineMs === undefined ? {} : { deadline: Date.now() + deadlineMs },
      (error, value) => {
        if (error !== null) return resolve({ code: error.code, message: error.details });
        const response = fromBinary(ResumeActorResponseSchema, new Uint8Array(value ?? []));
        resolve({ code: 0, message: "", response });
      },
    );
    return { reply: promise, cancel: () => call.cancel() };
  }

  [Symbol.dispose](): void {
    this.#client.close();
  }
}
