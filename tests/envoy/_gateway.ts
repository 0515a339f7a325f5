// A gateway's one HTTP/2 connection to a real Envoy whose router is silent until the test answers for
// it. Used by tests of crowds on one connection.
import * as http2 from "node:http2";
import { type EnvoyTestOptions, startEnvoy } from "../support/envoy.ts";
import { ScriptedExtProc } from "../support/ext_proc_script.ts";
import { until } from "../support/until.ts";

/** Envoy with a router that is silent, and one connection of a gateway. */
export class Gateway implements AsyncDisposable {
  readonly session: http2.ClientHttp2Session;
  readonly #parts: AsyncDisposableStack;

  private constructor(
    readonly envoy: Awaited<ReturnType<typeof startEnvoy>>,
    readonly extproc: ScriptedExtProc,
    parts: AsyncDisposableStack,
  ) {
    this.#parts = parts;
    this.session = http2.connect(`http://127.0.0.1:${envoy.httpPort}`);
    this.session.on("error", () => {});
  }

  static async start(options: EnvoyTestOptions): Promise<Gateway> {
    const parts = new AsyncDisposableStack();
    const extproc = parts.use(await ScriptedExtProc.start(() => {}));
    const envoy = parts.use(await startEnvoy({ ...options, portExtproc: extproc.port }));
    return new Gateway(envoy, extproc, parts);
  }

  /** Opens streams and waits until the router has been asked for each. */
  async ask(count: number, host: string): Promise<http2.ClientHttp2Stream[]> {
    const already = this.extproc.asked.length;
    const streams = Array.from({ length: count }, () => {
      const stream = this.session.request({ ":path": "/", ":authority": host });
      return stream.on("error", () => {});
    });
    await until("the questions", () => this.extproc.asked.length === already + count);
    return streams;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.session.destroy();
    await this.#parts.disposeAsync();
  }
}

/** Undefined when the stream ends without a response. */
export function statusOf(stream: http2.ClientHttp2Stream): Promise<number | undefined> {
  return new Promise((resolve) => {
    stream.on("response", (headers) => resolve(Number(headers[":status"])));
    stream.on("close", () => resolve(undefined));
    stream.resume();
  });
}
