// A gRPC stream that a test holds by both ends: what the service writes is kept, what Envoy would do
// is said by the test.
import { fromBinary } from "@bufbuild/protobuf";
import {
  type ProcessingResponse,
  ProcessingResponseSchema,
} from "../../../src/gen/envoy/service/ext_proc/v3/external_processor_pb.ts";
import type { ServerStream, StreamListener, StreamOpener } from "../../../src/extproc/port.ts";
import { requestHeaders } from "../../wire/support/bytes.ts";

export const PROCESS = "/envoy.service.ext_proc.v3.ExternalProcessor/Process";
export const DOMAIN = "actors.resources.substrate.ate.dev";

/** `<id>.<space>.<domain>`. */
export function hostOf(id: string, space = "demo"): string {
  return `${id}.${space}.${DOMAIN}`;
}

export interface StreamSetup {
  readonly path?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

export class FakeStream implements ServerStream {
  readonly path: string;
  readonly timeoutMs: number | undefined;
  readonly sent: Uint8Array[] = [];
  /** Trailers, once they are written. */
  ended: { code: number; message: string | undefined } | undefined;
  resets = 0;
  /** Called with every message, before it is kept: a test's chance to fail or to interfere. */
  onSend: (message: Uint8Array) => void = () => {};
  readonly #metadata: Readonly<Record<string, string>>;
  #listener: StreamListener | undefined;
  #closed = false;

  constructor(setup: StreamSetup = {}) {
    this.path = setup.path ?? PROCESS;
    this.timeoutMs = setup.timeoutMs;
    this.#metadata = setup.metadata ?? {};
  }

  metadata(name: string): string | undefined {
    return this.#metadata[name];
  }

  send(message: Uint8Array): void {
    if (this.#closed || this.ended) return;
    this.onSend(message);
    this.sent.push(message.slice());
  }

  end(code: number, message?: string): void {
    if (this.#closed || this.ended) return;
    this.ended = { code, message };
  }

  reset(): void {
    this.resets++;
  }

  /** The transport's side. @throws when the path is not served. */
  get listener(): StreamListener {
    if (this.#listener === undefined) throw new TypeError(`Cannot use stream: ${this.path}`);
    return this.#listener;
  }

  /** Opens it; false = unimplemented. */
  openWith(open: StreamOpener): boolean {
    this.#listener = open(this);
    return this.#listener !== undefined;
  }

  /** A request for a host, with more headers if wanted. */
  ask(host: string, headers: readonly (readonly [string, string])[] = []): void {
    this.listener.message(requestHeaders([[":authority", host], [":path", "/"], ...headers]));
  }

  /** The peer's reset, a lost connection, or the end after our trailers. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.listener.closed();
  }

  get answers(): ProcessingResponse[] {
    return this.sent.map((bytes) => fromBinary(ProcessingResponseSchema, bytes));
  }

  /** Each answer in a word or two: where to, or status and body. */
  get said(): string[] {
    return this.answers.map(({ response, dynamicMetadata }) => {
      const atenet = dynamicMetadata?.atenet as Record<string, unknown> | undefined;
      if (response.case === "immediateResponse") {
        const { status, body } = response.value;
        return `${status?.code} ${new TextDecoder().decode(body)}`;
      }
      if (response.case !== "requestHeaders") return String(response.case);
      const [header] = response.value.response?.headerMutation?.setHeaders ?? [];
      const worker = atenet?.worker;
      if (header === undefined) return worker === undefined ? "continue" : `worker ${worker}`;
      return `to ${new TextDecoder().decode(header.header?.rawValue)}`;
    });
  }
}
