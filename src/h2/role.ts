// The two seams of a connection: the socket under it, and the side above it (server or client).
import type { Head } from "./head.ts";
import type { Stream } from "./stream.ts";

/** The socket under a connection: `Deno.Conn` fits. */
export interface Transport {
  read(into: Uint8Array): Promise<number | null>;
  write(bytes: Uint8Array): Promise<number>;
  close(): void;
  /** Half-closes, where the socket can. */
  closeWrite?(): Promise<void>;
}

/** What differs between the two sides, and who is told. No method may throw. */
export interface Role {
  readonly server: boolean;
  /**
   * Server: a request opened a stream. The answer is a stream of the layer above, to be attached.
   * `head` is undefined when the header list is over our limits: the stream answers that.
   */
  request(head: Head | undefined): Stream;
  /** Server: the stream is attached and may act. */
  begin(stream: Stream): void;
  /** The peer's SETTINGS have been applied. */
  settings(): void;
  /** The peer's GOAWAY: it will not look at streams above `lastStream`. */
  goAway(lastStream: number, code: number, debug: string): void;
  /** A stream left the table. */
  streamGone(stream: Stream): void;
  /** Once, as soon as nothing more can come of this connection; its streams hear of it afterwards. */
  ending(why: string): void;
  /** Once: the socket is closed. */
  closed(): void;
  /** A fault of our own, worth a log line. */
  fault(error: unknown): void;
}
