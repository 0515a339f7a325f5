// An Envoy's side of the ADS stream, as a test plays it: over a stream in memory or over a real
// connection. Keeps every response. Used by tests/envoy and tests/xds.
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { ADS_PATH, type AdsServer } from "../../src/envoy/ads_server.ts";
import {
  DiscoveryRequestSchema,
  type DiscoveryResponse,
  DiscoveryResponseSchema,
} from "../../src/gen/envoy/service/discovery/v3/discovery_pb.ts";
import type { ClientConnection, ServerStream, StreamListener } from "../../src/h2/grpc/types.ts";
import { dialGrpc } from "../../src/h2/grpc_client.ts";
import { monotonicClock } from "../../src/process/platform.ts";
import { until } from "./until.ts";

/** A request as a test writes it. */
export interface RequestShape {
  readonly typeUrl?: string;
  readonly node?: { readonly id: string; readonly cluster?: string };
  readonly versionInfo?: string;
  readonly resourceNames?: string[];
  readonly responseNonce?: string;
  readonly errorDetail?: { readonly code: number; readonly message: string };
}

/** How a stream ended: gRPC status, or how it was lost. */
export interface AdsEnd {
  readonly code: number;
  readonly message: string;
}

interface Wire {
  send(bytes: Uint8Array): void;
  leave(): void;
  halfClose(): void;
}

/** The bytes of a request. */
export function requestBytes(request: RequestShape): Uint8Array {
  return toBinary(DiscoveryRequestSchema, create(DiscoveryRequestSchema, request));
}

/** One stream. Dispose of it when it has a connection. */
export class AdsPeer implements AsyncDisposable {
  readonly responses: DiscoveryResponse[] = [];
  end: AdsEnd | undefined;
  /** Sent with the first request; undefined = none. */
  node: { id: string; cluster: string } | undefined;
  #wire: Wire | undefined;
  #connection: ClientConnection | undefined;
  #first = true;

  private constructor(nodeId: string) {
    this.node = { id: nodeId, cluster: "test" };
  }

  /** On a stream in memory. */
  static inMemory(server: AdsServer, nodeId = "e1", path = ADS_PATH): AdsPeer {
    const peer = new AdsPeer(nodeId);
    const own: { listener?: StreamListener } = {};
    const finish = (end: AdsEnd) => {
      if (peer.end !== undefined) return;
      peer.end = end;
      own.listener?.closed();
    };
    const stream: ServerStream = {
      path,
      timeoutMs: undefined,
      metadata: () => undefined,
      send: (bytes) => {
        if (peer.end === undefined) peer.#heard(bytes);
      },
      end: (code, message = "") => finish({ code, message }),
      reset: () => finish({ code: -1, message: "reset" }),
    };
    const listener = server.open(stream);
    if (listener === undefined) peer.end = { code: 12, message: "unknown" };
    else own.listener = listener;
    peer.#wire = {
      send: (bytes) => listener?.message(bytes),
      leave: () => finish({ code: -1, message: "left" }),
      halfClose: () => listener?.halfClosed(),
    };
    return peer;
  }

  /** On a connection of its own. */
  static async dial(port: number, nodeId = "e1"): Promise<AdsPeer> {
    const peer = new AdsPeer(nodeId);
    const connection = await dialGrpc({
      hostname: "127.0.0.1",
      port,
      authority: `127.0.0.1:${port}`,
      clock: monotonicClock(),
    });
    const stream = connection.open(ADS_PATH, [], {
      message: (bytes) => peer.#heard(bytes),
      ended: (end) => {
        peer.end = end.kind === "status"
          ? { code: end.code, message: end.message }
          : { code: -1, message: end.kind };
      },
    });
    if (stream === undefined) throw new Error("Cannot open an ADS stream");
    peer.#connection = connection;
    peer.#wire = {
      send: (bytes) => stream.send(bytes),
      leave: () => stream.cancel(),
      halfClose: () => stream.halfClose(),
    };
    return peer;
  }

  /** Sends any request; the first one says the node. */
  send(request: RequestShape): void {
    const node = this.#first && this.node !== undefined ? { node: this.node } : {};
    this.sendBytes(requestBytes({ ...node, ...request }));
  }

  sendBytes(bytes: Uint8Array): void {
    this.#first = false;
    this.#wire?.send(bytes);
  }

  /** Subscribes. */
  ask(typeUrl: string, resourceNames: string[] = [], versionInfo = ""): void {
    this.send({ typeUrl, resourceNames, versionInfo });
  }

  /** Says that a response is in use. */
  ack(response: DiscoveryResponse, resourceNames: string[] = []): void {
    const { typeUrl, versionInfo, nonce } = response;
    this.send({ typeUrl, versionInfo, resourceNames, responseNonce: nonce });
  }

  /** Refuses a response. */
  nack(response: DiscoveryResponse, message: string, resourceNames: string[] = []): void {
    const { typeUrl, nonce } = response;
    const errorDetail = { code: 13, message };
    this.send({ typeUrl, resourceNames, responseNonce: nonce, errorDetail });
  }

  /** Responses of one type so far. */
  of(typeUrl: string): DiscoveryResponse[] {
    return this.responses.filter((one) => one.typeUrl === typeUrl);
  }

  /** Response number `count` of a type; waits for it. */
  async response(typeUrl: string, count = 1): Promise<DiscoveryResponse> {
    return await until(`response ${count} of ${typeUrl}`, () => this.of(typeUrl)[count - 1]);
  }

  /** The end of the stream; waits for it. */
  async ended(): Promise<AdsEnd> {
    return await until("the stream to end", () => this.end);
  }

  /** Gives the stream up. */
  leave(): void {
    this.#wire?.leave();
  }

  /** Says that nothing more will be asked. */
  halfClose(): void {
    this.#wire?.halfClose();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connection?.close();
  }

  #heard(bytes: Uint8Array): void {
    this.responses.push(fromBinary(DiscoveryResponseSchema, bytes));
  }
}
