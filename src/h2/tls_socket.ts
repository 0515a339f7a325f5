// TLS sockets of clients, over node:tls: the only way of the runtime to send a client certificate to
// an address under another name. (`Deno.startTls` takes no certificate; `Deno.connectTls` takes no
// name beside the address, and leaves Nagle's algorithm on.) Used by client.ts.
import net from "node:net";
import tls from "node:tls";
import type { ClientTls } from "./grpc/types.ts";
import type { Transport } from "./transport.ts";

const CERTIFICATE = /-----BEGIN CERTIFICATE-----/;
const PRIVATE_KEY = /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/;

/** A TLS connection as a transport. */
export class TlsSocket implements Transport {
  readonly #tcp: net.Socket;
  #tls: tls.TLSSocket | undefined;
  /** Read but not yet taken. */
  #rest: Uint8Array | undefined;
  #ended = false;
  #error: Error | undefined;
  #wake: (() => void) | undefined;

  /** Begins to connect over TCP. */
  constructor(hostname: string, port: number) {
    this.#tcp = net.connect({ host: hostname, port, noDelay: true });
    // Nothing may be read before TLS takes over: on older runtimes (2.6) the handshake then hangs.
    this.#tcp.pause();
    this.#tcp.on("connect", () => this.#awake());
    this.#tcp.on("error", (error: Error) => this.#fail(error));
    this.#tcp.on("close", () => this.#fail(undefined));
  }

  /**
   * Resolves when TCP is up, names and certificates are good and the peer speaks h2.
   * @throws {Error} saying what is not; also for a client certificate that node:tls would leave out
   * without a word.
   */
  async handshake(options: ClientTls): Promise<void> {
    const { serverName, caCerts, cert, key } = options;
    if (cert !== undefined && !CERTIFICATE.test(cert)) throw new Error("certificate is not PEM");
    if (key !== undefined && !PRIVATE_KEY.test(key)) throw new Error("private key is not PEM");
    await this.#until(() => !this.#tcp.connecting);
    const secure = tls.connect({
      socket: this.#tcp,
      // An address is verified but not sent: SNI knows names only.
      ...(net.isIP(serverName) === 0 ? { servername: serverName } : { host: serverName }),
      ALPNProtocols: ["h2"],
      ...(caCerts === undefined ? {} : { ca: [...caCerts] }),
      ...(cert === undefined && key === undefined ? {} : { cert, key }),
    });
    this.#tls = secure;
    let done = false;
    secure.once("secureConnect", () => {
      done = true;
      this.#awake();
    });
    secure.on("readable", () => this.#awake());
    secure.on("error", (error: Error) => this.#fail(error));
    secure.on("end", () => this.#fail(undefined));
    await this.#until(() => done);
    if (secure.alpnProtocol !== "h2") throw new Error("the server does not speak h2 (ALPN)");
  }

  async read(into: Uint8Array): Promise<number | null> {
    for (;;) {
      const chunk: Uint8Array | null = this.#rest ?? this.#tls!.read();
      this.#rest = undefined;
      if (chunk !== null) return this.#take(chunk, into);
      if (this.#error !== undefined) throw this.#error;
      if (this.#ended) return null;
      await this.#sleep();
    }
  }

  write(bytes: Uint8Array): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#tls!.write(bytes, (error?: Error | null) => {
        if (error) reject(error);
        else resolve(bytes.length);
      });
    });
  }

  close(): void {
    this.#tls?.destroy();
    this.#tcp.destroy();
  }

  #take(chunk: Uint8Array, into: Uint8Array): number {
    const count = Math.min(chunk.length, into.length);
    into.set(count === chunk.length ? chunk : chunk.subarray(0, count));
    if (count < chunk.length) this.#rest = chunk.subarray(count);
    return count;
  }

  /** Waits for a step of the handshake. @throws {Error} when the socket ends before. */
  async #until(reached: () => boolean): Promise<void> {
    while (!reached()) {
      if (this.#error !== undefined) throw this.#error;
      if (this.#ended) throw new Error("closed during the handshake");
      await this.#sleep();
    }
  }

  #fail(error: Error | undefined): void {
    this.#error ??= error;
    this.#ended = true;
    this.#awake();
  }

  #sleep(): Promise<void> {
    return new Promise((resolve) => this.#wake = resolve);
  }

  #awake(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}
