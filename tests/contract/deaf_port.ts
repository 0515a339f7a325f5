// A port of this machine whose queue of connections is full, so that the kernel drops every SYN: a
// dial to it gets no answer of any kind, as from an address behind a firewall. Linux only.
import { assertEquals } from "@std/assert";

const BACKLOG = 1;
/** State of a socket in /proc/net/tcp that has sent a SYN and waits. */
const SYN_SENT = "02";

export class DeafPort implements AsyncDisposable {
  readonly port: number;
  readonly #listener: Deno.TcpListener;
  readonly #held: Deno.TcpConn[];

  private constructor(listener: Deno.TcpListener, held: Deno.TcpConn[]) {
    this.#listener = listener;
    this.#held = held;
    this.port = listener.addr.port;
  }

  static async open(): Promise<DeafPort> {
    // The runtime takes this option, its types do not name it.
    const options = { hostname: "127.0.0.1", port: 0, tcpBacklog: BACKLOG };
    const listener = Deno.listen(options);
    const { port } = listener.addr;
    // Nothing accepts. The kernel queues one more than it was told, and drops what comes after.
    const connects = Array.from({ length: BACKLOG + 1 }, () => Deno.connect({ port }));
    const deaf = new DeafPort(listener, await Promise.all(connects));
    assertEquals(deaf.dials, 0, "the queue takes these");
    return deaf;
  }

  /** Sockets of this machine that send SYNs to the port now. */
  get dials(): number {
    const remote = `:${this.port.toString(16).toUpperCase().padStart(4, "0")}`;
    return Deno.readTextFileSync("/proc/net/tcp").split("\n").filter((line) => {
      const [, , to, state] = line.trim().split(/\s+/);
      return state === SYN_SENT && to?.endsWith(remote);
    }).length;
  }

  [Symbol.asyncDispose](): Promise<void> {
    for (const conn of this.#held) conn.close();
    this.#listener.close();
    return Promise.resolve();
  }
}
