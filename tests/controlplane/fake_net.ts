// A network for the control-plane client: dials that the test answers by hand, connections whose
// calls it ends by hand, names that mean what it says.
import type {
  ClientState,
  UnaryConnection,
  UnaryDialOptions,
  UnaryEnd,
  UnaryRequest,
  UnarySink,
} from "../../src/h2/grpc/types.ts";
import { createClient } from "../../src/controlplane/client.ts";
import type { ClientOptions, ControlPlaneClient } from "../../src/controlplane/port.ts";
import type { Answer } from "../../src/engine/mod.ts";
import { FakeClock } from "../support/fake_clock.ts";

export interface FakeCall {
  readonly request: UnaryRequest;
  readonly sink: UnarySink;
  queued: boolean;
  over: boolean;
}

/** One connection that was dialled. */
export class FakeConnection implements UnaryConnection {
  readonly options: UnaryDialOptions;
  readonly calls: FakeCall[] = [];
  state: ClientState = "open";
  streamsMax = 100;
  headerListBytes = Infinity;
  drained = 0;
  closed = 0;

  constructor(options: UnaryDialOptions) {
    this.options = options;
  }

  get active(): number {
    return this.calls.filter((call) => !call.over && !call.queued).length;
  }

  get queued(): number {
    return this.calls.filter((call) => !call.over && call.queued).length;
  }

  call(request: UnaryRequest, sink: UnarySink) {
    const call: FakeCall = { request, sink, queued: this.active >= this.streamsMax, over: false };
    this.calls.push(call);
    if (!call.queued) sink.started();
    return {
      withdraw: () => {
        if (!call.queued || call.over) return false;
        call.over = true;
        return true;
      },
    };
  }

  drain(): void {
    this.drained++;
    this.state = "draining";
  }

  close(): Promise<void> {
    this.closed++;
    this.state = "closed";
    return Promise.resolve();
  }

  /** The peer or the network ends it; queued calls have not started. */
  lose(why = "connection reset"): void {
    this.state = "closed";
    this.options.onClosed?.(why);
    for (const call of this.calls) {
      if (call.over) continue;
      call.over = true;
      call.sink.answered({ kind: "lost", why });
    }
  }

  /** GOAWAY: what is in progress goes on. */
  goAway(): void {
    this.state = "draining";
    this.options.onDraining?.("GOAWAY");
  }

  end(index: number, end: UnaryEnd): void {
    this.calls[index]!.over = true;
    this.calls[index]!.sink.answered(end);
  }
}

interface PendingDial {
  readonly options: UnaryDialOptions;
  readonly resolve: (connection: UnaryConnection) => void;
  readonly reject: (error: Error) => void;
}

/** The whole world of one client. */
export class FakeNet {
  readonly clock = new FakeClock();
  /** `ip@ms` of every dial. */
  readonly dials: string[] = [];
  readonly pending: PendingDial[] = [];
  readonly connections: FakeConnection[] = [];
  readonly warnings: string[] = [];
  readonly infos: string[] = [];
  /** `why` of the warnings that have one. */
  readonly reasons: string[] = [];
  readonly files: Record<string, string> = {};
  /** What the name means; an Error makes the look-up fail. */
  addresses: string[] | Error = ["10.0.0.1"];
  lookUps = 0;
  /** Dials succeed or fail by themselves when this is set. */
  auto: "connect" | "refuse" | undefined;
  /** Addresses that refuse whatever `auto` says. */
  readonly dead = new Set<string>();

  client(options: Partial<ClientOptions> = {}): ControlPlaneClient {
    return createClient({
      address: "api.example:443",
      credentials: { kind: "insecure" },
      draw: () => 0,
      log: (level, msg, fields) => {
        (level === "warn" ? this.warnings : this.infos).push(msg);
        if (fields?.["why"] !== undefined) this.reasons.push(String(fields["why"]));
      },
      ...options,
    }, {
      clock: this.clock,
      dial: (dial) => this.#dial(dial),
      resolve: () => this.#resolve(),
      readFile: (path) => {
        const text = this.files[path];
        if (text === undefined) throw new Deno.errors.NotFound(path);
        return text;
      },
    });
  }

  /** The oldest dial succeeds. */
  async accept(): Promise<FakeConnection> {
    const dial = this.pending.shift()!;
    const connection = new FakeConnection(dial.options);
    this.connections.push(connection);
    dial.resolve(connection);
    await settle();
    return connection;
  }

  async refuse(why = "connection refused"): Promise<void> {
    this.pending.shift()!.reject(new Error(why));
    await settle();
  }

  /** Time passes in steps, with promises run between them. */
  async advance(ms: number): Promise<void> {
    await settle();
    const untilMs = this.clock.now() + ms;
    while (this.clock.nextMs !== undefined && this.clock.nextMs <= untilMs) {
      this.clock.advanceTo(this.clock.nextMs);
      await settle();
    }
    this.clock.advanceTo(untilMs);
    await settle();
  }

  #dial(options: UnaryDialOptions): Promise<UnaryConnection> {
    this.dials.push(`${options.hostname}@${Math.round(this.clock.now())}`);
    if (this.auto === "refuse" || this.dead.has(options.hostname)) {
      return Promise.reject(new Error("connection refused"));
    }
    if (this.auto === "connect") {
      const connection = new FakeConnection(options);
      this.connections.push(connection);
      return Promise.resolve(connection);
    }
    return new Promise((resolve, reject) => this.pending.push({ options, resolve, reject }));
  }

  #resolve(): Promise<string[]> {
    this.lookUps++;
    const { addresses } = this;
    return addresses instanceof Error ? Promise.reject(addresses) : Promise.resolve(addresses);
  }
}

/** Lets every promise that can go on do so. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

/** One attempt and what became of it. */
export interface Tried {
  started: boolean;
  answers: Answer[];
  withdraw(): boolean;
}

/** Asks for one attempt. */
export function attempt(client: ControlPlaneClient, actorId = "a1"): Tried {
  const tried: Tried = { started: false, answers: [], withdraw: () => false };
  const call = client.resume({ actor: { atespace: "demo", actorId }, trace: undefined }, {
    started: () => void (tried.started = true),
    answered: (answer) => tried.answers.push(answer),
  });
  tried.withdraw = () => call.withdraw();
  return tried;
}
