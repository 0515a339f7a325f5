// Requests that are not gRPC calls, or whose heads are over our limits: answered in plain HTTP, with a
// gRPC status beside it for those that look for one.
import type { Connection } from "../core.ts";
import { FRAME_BYTES_MAX } from "../frame.ts";
import { encodeBlock } from "../hpack/encoder.ts";
import { Stream } from "../core.ts";
import { Status, trailersBlock } from "./status.ts";

const BODY = new TextEncoder().encode("gRPC only: POST with content-type application/grpc\n");
const NOT_GRPC = encodeBlock([
  [":status", "415"],
  ["content-type", "text/plain"],
  ["content-length", `${BODY.length}`],
]);
const HEADERS_TOO_LARGE = Uint8Array.from([
  ...encodeBlock([[":status", "431"], ["content-type", "application/grpc"]]),
  ...trailersBlock(Status.RESOURCE_EXHAUSTED, "request headers too large"),
]);

export class Refusal extends Stream {
  readonly #tooLarge: boolean;

  constructor(connection: Connection, tooLarge: boolean) {
    super(connection);
    this.#tooLarge = tooLarge;
  }

  /** Too large a head is answered at once: there is nothing to learn from the rest. */
  begin(): void {
    if (this.#tooLarge) this.connection.send.trailers(this, HEADERS_TOO_LARGE);
  }

  receivedHead(): void {}

  receivedData(): void {}

  receivedEnd(): void {
    if (this.localClosed) return;
    const { writer, send, output, streams } = this.connection;
    writer.headers(this.id, NOT_GRPC, false);
    this.headSent = true;
    const at = BODY.length <= FRAME_BYTES_MAX ? send.reserve(this, BODY.length, true) : -1;
    if (at < 0) return send.queue(this, BODY, true);
    output.bytes.set(BODY, at);
    streams.localEnded(this);
  }

  ended(): void {}
}
