// A dialled connection under contract: what its owner was told, its calls as their sinks heard them.
import { assert } from "@std/assert";
import type {
  DialUnary,
  PendingUnary,
  UnaryConnection,
  UnaryDialOptions,
  UnaryEnd,
  UnaryRequest,
  UnarySink,
} from "../../src/h2/grpc/types.ts";
import { monotonicClock } from "../../src/process/platform.ts";
import { encodeResumeRequest } from "../../src/wire/ateapi.ts";
import { until } from "../support/until.ts";

export const CLOCK = monotonicClock();

/** Options of a dial to a port of this machine. */
export function dialOptions(port: number, more: Partial<UnaryDialOptions> = {}): UnaryDialOptions {
  return { hostname: "127.0.0.1", port, authority: "api.test:443", clock: CLOCK, ...more };
}

/** One call; its words are those of the stage's log. */
export class Call implements UnarySink {
  readonly name: string;
  readonly ends: UnaryEnd[] = [];
  startedCount = 0;
  pending: PendingUnary | undefined;
  readonly #stage: DialStage;

  constructor(name: string, stage: DialStage) {
    this.name = name;
    this.#stage = stage;
  }

  started(): void {
    assert(this.ends.length === 0, "started after the end");
    this.startedCount++;
    this.#stage.told.push(`started ${this.name}`);
  }

  answered(end: UnaryEnd): void {
    assert(this.pending !== undefined, "answered before call has returned");
    // What lies in the bytes is not looked at, and they are valid during this call only.
    this.ends.push(end.kind === "ok" ? { kind: "ok", message: end.message.slice() } : end);
    this.#stage.told.push(`${end.kind} ${this.name}, ${this.#stage.connection.state}`);
  }

  async end(): Promise<UnaryEnd> {
    await until(`the end of ${this.name}`, () => this.ends.length > 0);
    return this.ends[0]!;
  }
}

export class DialStage implements AsyncDisposable {
  readonly connection: UnaryConnection;
  readonly calls: Call[] = [];
  /** Everything that was told, in order. */
  readonly told: string[];

  private constructor(connection: UnaryConnection, told: string[]) {
    this.connection = connection;
    this.told = told;
  }

  static async open(
    dial: DialUnary,
    port: number,
    more: Partial<UnaryDialOptions> = {},
  ): Promise<DialStage> {
    const told: string[] = [];
    const connection = await dial(dialOptions(port, {
      onDraining: () => void told.push("draining"),
      onClosed: () => void told.push("closed"),
      onFault: (what, error) => void told.push(`fault ${what}: ${error}`),
      ...more,
    }));
    return new DialStage(connection, told);
  }

  /** Asks the fake control plane for the actor `s/<name>`. */
  call(name: string, more: Partial<UnaryRequest> = {}): Call {
    const call = new Call(name, this);
    this.calls.push(call);
    const path = "/ateapi.Control/ResumeActor";
    const request = { path, message: encodeResumeRequest("s", name), ...more };
    call.pending = this.connection.call(request, call);
    return call;
  }

  /** How many are running, how many wait. */
  get load(): [active: number, queued: number] {
    return [this.connection.active, this.connection.queued];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.connection.close();
    for (const { name, ends, startedCount } of this.calls) {
      assert(ends.length <= 1, `${name} was answered twice`);
      assert(startedCount <= 1, `${name} was started twice`);
    }
    const count = (word: string) => this.told.filter((one) => one === word).length;
    assert(count("draining") <= 1 && count("closed") <= 1, this.told.join());
  }
}
