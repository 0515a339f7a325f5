// The server's side of a connection: hands requests to their handler and faults to the log. Owned by its
// connection, told to server.ts when that closes.
import type { Connection } from "./core.ts";
import { errorName } from "./frame.ts";
import type { Head } from "./head.ts";
import type { Role } from "./core.ts";
import type { Stream } from "./core.ts";

/** What the requests of one connection become. */
export interface RequestHandler {
  /** See `Role.request`. */
  request(head: Head | undefined): Stream;
  /** See `Role.begin`. */
  begin(stream: Stream): void;
}

export class ServerRole implements Role {
  readonly server = true;
  readonly #onClosed: (connection: Connection) => void;
  readonly #onFault: (what: string, error: unknown) => void;
  #connection: Connection | undefined;
  #handler: RequestHandler | undefined;

  constructor(
    onClosed: (connection: Connection) => void,
    onFault: (what: string, error: unknown) => void,
  ) {
    this.#onClosed = onClosed;
    this.#onFault = onFault;
  }

  /** Before the connection starts. */
  connect(connection: Connection, handler: RequestHandler): void {
    this.#connection = connection;
    this.#handler = handler;
  }

  request(head: Head | undefined): Stream {
    return this.#handler!.request(head);
  }

  begin(stream: Stream): void {
    this.#handler!.begin(stream);
  }

  closed(): void {
    this.#onClosed(this.#connection!);
  }

  fault(error: unknown): void {
    this.#onFault("connection", error);
  }

  /** Requests may end with it, through no fault of theirs: whoever runs this must get to know why. */
  failed(code: number, why: string): void {
    const { size } = this.#connection!.streams;
    this.#onFault("HTTP/2 connection ended", `${errorName(code)}: ${why}; open streams: ${size}`);
  }

  // A client opens no streams to us, so its SETTINGS and GOAWAY ask for nothing more here.
  settings(): void {}
  goAway(): void {}
  streamGone(): void {}
  ending(): void {}
}
