// Sockets of HTTP/2 clients: plain TCP, or TLS with ALPN `h2` (RFC 9113 section 3.2). The name that is
// verified may differ from the address that is dialled. Used by grpc_client.ts.
import type { ClientTls } from "./grpc/types.ts";
import type { Transport } from "./transport.ts";
import { TlsSocket } from "./tls_socket.ts";

/** A socket being opened: it can be given up at any stage, also while its SYN is on its way. */
export class Opening {
  readonly #given = new AbortController();
  #socket: { close(): void } | undefined;

  /** TCP, or TLS when asked for. @throws {Error} saying what failed. */
  async open(hostname: string, port: number, tls: ClientTls | undefined): Promise<Transport> {
    if (tls !== undefined) {
      const secure = this.#hold(new TlsSocket(hostname, port));
      await secure.handshake(tls);
      return secure;
    }
    const tcp = this.#hold(await Deno.connect({ hostname, port, signal: this.#given.signal }));
    tcp.setNoDelay(true);
    return tcp;
  }

  /** Closes what is open or about to be. */
  giveUp(): void {
    this.#given.abort();
    close(this.#socket);
  }

  #hold<Socket extends { close(): void }>(socket: Socket): Socket {
    this.#socket = socket;
    if (!this.#given.signal.aborted) return socket;
    close(socket);
    throw new Error("given up");
  }
}

function close(socket: { close(): void } | undefined): void {
  try {
    socket?.close();
  } catch {
    // Closed already.
  }
}
