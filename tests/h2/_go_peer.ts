// The grpc-go peer (tests/h2/go) as a process: lines in, lines out.
import { collectLines, type Lines } from "../support/lines.ts";
import { until } from "../support/until.ts";

export class GoPeer implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #stdin: WritableStreamDefaultWriter<Uint8Array>;
  readonly #out: Lines;
  readonly #err: Lines;
  #calls = 0;

  constructor(program: string, ...args: string[]) {
    this.#child = new Deno.Command(program, {
      args,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.#stdin = this.#child.stdin.getWriter();
    this.#out = collectLines(this.#child.stdout);
    this.#err = collectLines(this.#child.stderr);
  }

  /** A server; its port is known when this resolves. */
  static async serve(program: string): Promise<{ peer: GoPeer; port: number }> {
    const peer = new GoPeer(program, "serve");
    return { peer, port: Number(await peer.line("port ")) };
  }

  /** A client of that address. */
  static async dial(program: string, port: number): Promise<GoPeer> {
    const peer = new GoPeer(program, "dial", `127.0.0.1:${port}`);
    await peer.line("ready");
    return peer;
  }

  async says(line: string): Promise<void> {
    await this.#stdin.write(new TextEncoder().encode(`${line}\n`));
  }

  /** The rest of the first line that begins like this. */
  async line(start: string): Promise<string> {
    const line = await until(
      `"${start}" of the Go peer: ${this.#err.all()}`,
      () => this.#out.all().find((one) => one.startsWith(start)),
    );
    return line.slice(start.length);
  }

  /** Makes a call and waits for its end: `ok "…"`, `ok N bytes`, `status CODE "…"`. */
  async call(op: string, path: string, number: number, text: string | number): Promise<string> {
    const id = `c${++this.#calls}`;
    await this.says(`${id} ${op} ${path} ${number} ${text}`);
    return await this.line(`${id} `);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stdin.close();
    await Promise.all([this.#child.status, this.#out.done, this.#err.done]);
  }
}
