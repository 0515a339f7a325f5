// The router as the real program between a fake Envoy, which can misbehave, and a simulated control
// plane. Used by tests/e2e for what a real Envoy cannot be made to do.
import type { Snapshot } from "../../src/admin/snapshot.ts";
import { serveGrpc } from "../../src/h2/grpc_server.ts";
import { monotonicClock } from "../../src/process/platform.ts";
import type { Step } from "../../src/sim/model.ts";
import { type Simulator, startSimulator } from "../../src/sim/simulator.ts";
import { ExtProcPeer, type PeerAnswer, type PeerStream } from "./ext_proc_peer.ts";
import { type HeaderList, requestHeadersBytes } from "./ext_proc_messages.ts";
import { type Env, RouterProcess } from "./router_process.ts";
import { type Flags, hostOf } from "./stack.ts";

export interface PeerStackOptions {
  readonly flags?: Flags;
  readonly env?: Env;
  /** A binary instead of the source. */
  readonly main?: string;
  /** Streams that the control plane allows per connection; by default as many as one could want. */
  readonly controlPlaneStreams?: number;
}

function headersFor(host: string): HeaderList {
  return [[":authority", host], [":path", "/"], [":method", "GET"]];
}

/** HTTP status of an answer; 200 when it was routed; undefined without one. */
export function statusOf({ reply }: PeerAnswer): number | undefined {
  const response = reply?.response;
  if (response?.case === "immediateResponse") return response.value.status?.code;
  return response?.case === "requestHeaders" ? 200 : undefined;
}

/** All parts, running. Dispose of it. */
export class PeerStack implements AsyncDisposable {
  constructor(
    readonly simulator: Simulator,
    readonly router: RouterProcess,
    readonly peer: ExtProcPeer,
    readonly parts: AsyncDisposableStack,
  ) {}

  /** Sets what the control plane answers for an actor; the last step goes on for ever. */
  script(actorId: string, ...steps: readonly Step[]): void {
    this.simulator.pool.script({ atespace: "demo", actorId }, steps, { repeatLast: true });
  }

  /** One exchange as Envoy does it. */
  ask(actorId: string, metadata?: Readonly<Record<string, string>>): Promise<PeerAnswer> {
    return this.peer.ask(headersFor(hostOf(actorId)), metadata);
  }

  /** An exchange with a host that names no actor. */
  askHost(host: string): Promise<PeerAnswer> {
    return this.peer.ask(headersFor(host));
  }

  /** ResumeActor calls for an actor so far. */
  calls(actorId: string): ReturnType<Simulator["calls"]["of"]> {
    return this.simulator.calls.of({ atespace: "demo", actorId });
  }

  /** Opens a stream and asks on it; the rest is up to the test. */
  open(actorId: string, peer: ExtProcPeer = this.peer): PeerStream {
    const stream = peer.open();
    stream.send(requestHeadersBytes(headersFor(hostOf(actorId))));
    return stream;
  }

  /** The status document once so many requests are parked. */
  parked(count: number): Promise<Snapshot> {
    return this.router.statusWhen(
      `${count} parked requests`,
      ({ parking }) => parking.active === count,
    );
  }

  /** The status document once the shutdown is in a step. */
  inStep(step: string): Promise<Snapshot> {
    return this.router.statusWhen(`step ${step}`, ({ drain }) => drain?.step === step);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.parts.disposeAsync();
  }
}

/** Starts everything; ready for requests when the promise resolves. */
export async function startPeerStack(options: PeerStackOptions = {}): Promise<PeerStack> {
  await using parts = new AsyncDisposableStack();
  const simulator = await startSimulator({
    serve: serveGrpc,
    clock: monotonicClock(),
    workers: ["127.0.0.1"],
    actors: [],
    ...(options.controlPlaneStreams && { maxConcurrentStreams: options.controlPlaneStreams }),
  });
  parts.defer(() => simulator.stop());
  const words = Object.entries({
    "ateapi-address": simulator.address,
    "ateapi-auth": "insecure",
    "envoy-admin-address": "",
    "status-address": "127.0.0.1",
    ...options.flags,
  }).map(([name, value]) => `--${name}=${value}`);
  const router = parts.use(await RouterProcess.start(words, 0, options.env, options.main));
  const peer = parts.use(await ExtProcPeer.connect(router.extprocPort));
  return new PeerStack(simulator, router, peer, parts.move());
}
