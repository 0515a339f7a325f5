// Sockets of HTTP/2 clients: TCP, and TLS with ALPN `h2` (RFC 9113 section 3.2). The name that is
// verified may differ from the address that is dialled. Used by grpc_client.ts.
import type { ClientTls } from "./grpc/types.ts";
import type { Transport } from "./role.ts";

/** `Deno.startTls` takes a client certificate at run time, although its published type has none. */
interface StartTlsOptions extends Deno.StartTlsOptions {
  cert?: string;
  key?: string;
}

/** A socket being opened: it can be given up at any stage. */
export class Opening {
  #given = false;
  #socket: { close(): void } | undefined;

  /** TCP, then TLS when asked for. @throws {Error} of the stage that failed. */
  async open(hostname: string, port: number, tls: ClientTls | undefined): Promise<Transport> {
    const tcp = this.#hold(await Deno.connect({ hostname, port }));
    tcp.setNoDelay(true);
    if (tls === undefined) return tcp;
    // From here on the TLS connection owns the socket.
    const secure = this.#hold(await Deno.startTls(tcp, startTlsOptions(tls)));
    const { alpnProtocol } = await secure.handshake();
    if (alpnProtocol !== "h2") throw new Error("the server does not speak h2 (ALPN)");
    return secure;
  }

  /** Closes what is open, and what will have opened. */
  giveUp(): void {
    this.#given = true;
    close(this.#socket);
  }

  #hold<Socket extends { close(): void }>(socket: Socket): Socket {
    this.#socket = socket;
    if (!this.#given) return socket;
    close(socket);
    throw new Error("given up");
  }
}

function startTlsOptions(tls: ClientTls): StartTlsOptions {
  const { serverName, caCerts, cert, key } = tls;
  return {
    hostname: serverName,
    alpnProtocols: ["h2"],
    ...(caCerts === undefined ? {} : { caCerts: [...caCerts] }),
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
  };
}

function close(socket: { close(): void } | undefined): void {
  try {
    socket?.close();
  } catch {
    // Closed already.
  }
}
