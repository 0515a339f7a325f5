// The worker pool as a model: actors are suspended, resuming, running or suspending; workers have
// slots; requests keep an actor awake. Pure: time and chance are handed in, there is no socket.
// control_plane.ts puts it on the wire, workers.ts tells it which requests arrived.
import type { ActorRef, ActorState, Timer } from "../engine/mod.ts";
import { Actor_Status } from "../gen/ateapi/ateapi_pb.ts";
import {
  keyOf,
  type PoolOptions,
  type PoolView,
  type ResumeReply,
  type ScriptOptions,
  SIM_TEMPLATE,
  SimCode,
  type Step,
} from "./model.ts";
import { Scripts } from "./script.ts";
import { TimerSet } from "./timer_set.ts";
import { type Worker, WorkerSet } from "./worker_set.ts";

type Phase =
  | { readonly kind: "suspended" }
  | { readonly kind: "resuming"; readonly worker: Worker }
  | { readonly kind: "running"; readonly worker: Worker; requests: number; idle: Timer | undefined }
  | { readonly kind: "suspending"; readonly worker: Worker };

interface Entry {
  readonly ref: ActorRef;
  phase: Phase;
}

const SUSPENDED: Phase = { kind: "suspended" };

/** A pool of workers and the actors that want to run on them. */
export class Pool {
  readonly #options: PoolOptions;
  readonly #workers: WorkerSet;
  readonly #actors = new Map<string, Entry>();
  readonly #scripts = new Scripts();
  readonly #timers: TimerSet;
  #resumes = 0;

  /** @throws {RangeError} for a pool without workers or slots. */
  constructor(options: PoolOptions) {
    this.#options = options;
    this.#timers = new TimerSet(options.clock);
    this.#workers = new WorkerSet(options.workers, options.slotsPerWorker ?? 1);
    for (const ref of options.actors) {
      this.#actors.set(keyOf(ref), { ref, phase: SUSPENDED });
    }
    if (options.startRunning === true) this.#runAsManyAsFit();
  }

  /** Sets what the next calls for `actor` (it need not exist) are answered. */
  script(actor: ActorRef, steps: readonly Step[], options: ScriptOptions = {}): void {
    this.#scripts.set(actor, steps, options);
  }

  /** One ResumeActor. `reply` is called at most once, at once or later; never for `hang`. */
  resume(actor: ActorRef, reply: (reply: ResumeReply) => void): void {
    const step = this.#scripts.take(actor);
    if (step === undefined) return this.#decide(actor, reply);
    if (step.kind === "hang") return;
    this.#timers.soon(step.delayMs ?? 0, () => {
      if (step.kind === "pool") this.#decide(actor, reply);
      else reply(this.#scripted(step));
    });
  }

  /**
   * A request for `actor` reached the worker at `workerIp`: the actor stays awake until the
   * returned function is called (once; more calls do nothing).
   * @returns undefined when that actor does not run there.
   */
  requestArrived(workerIp: string, actor: ActorRef): (() => void) | undefined {
    const entry = this.#actors.get(keyOf(actor));
    const phase = entry?.phase;
    if (entry === undefined || phase?.kind !== "running" || phase.worker.ip !== workerIp) {
      return undefined;
    }
    phase.requests++;
    phase.idle?.cancel();
    phase.idle = undefined;
    let left = false;
    return () => {
      // The actor may have been suspended and resumed elsewhere since: then this is history.
      if (left || entry.phase !== phase) return;
      left = true;
      phase.requests--;
      this.#watchIdle(entry, this.#options.idleMs ?? 0);
    };
  }

  /** Who runs on a worker now; for a worker that is not told the actor by its client. */
  runningOn(workerIp: string): ActorRef | undefined {
    for (const { ref, phase } of this.#actors.values()) {
      if (phase.kind === "running" && phase.worker.ip === workerIp) return ref;
    }
    return undefined;
  }

  view(): PoolView {
    const counts = { suspended: 0, resuming: 0, running: 0, suspending: 0 };
    for (const { phase } of this.#actors.values()) counts[phase.kind]++;
    return { ...counts, freeSlots: this.#workers.freeSlots, resumes: this.#resumes };
  }

  /** Suspends every running actor at once, whatever its requests; timers of resumes go on. */
  suspendAll(): void {
    for (const entry of this.#actors.values()) {
      if (entry.phase.kind !== "running") continue;
      entry.phase.idle?.cancel();
      this.#suspend(entry, entry.phase.worker);
    }
  }

  /** Cancels every timer: nobody is answered, resumed or suspended any more. Idempotent. */
  stop(): void {
    this.#timers.clear();
  }

  #decide(actor: ActorRef, reply: (reply: ResumeReply) => void): void {
    const entry = this.#actors.get(keyOf(actor));
    if (entry === undefined) return reply(status(SimCode.NOT_FOUND, "actor does not exist"));
    switch (entry.phase.kind) {
      case "running":
        // An OK is a promise to whoever asked: the request it is for gets time to arrive.
        this.#watchIdle(entry, this.#firstUseMs());
        return reply({
          kind: "ok",
          actor: runningState(entry.phase.worker.ip),
          resumed: false,
        });
      case "resuming":
        return reply(status(SimCode.ABORTED, "another resume of this actor is in progress"));
      case "suspending":
        return reply(status(SimCode.FAILED_PRECONDITION, "actor is being suspended"));
      case "suspended": {
        const worker = this.#workers.claim();
        if (worker === undefined) {
          return reply(status(SimCode.RESOURCE_EXHAUSTED, "no free workers available"));
        }
        return this.#startResume(entry, worker, reply);
      }
    }
  }

  // suspended => resuming, then running: a worker is held from the claim on.
  #startResume(entry: Entry, worker: Worker, reply: (reply: ResumeReply) => void): void {
    entry.phase = { kind: "resuming", worker };
    const { resumeDelayMs = 0, resumeJitter = 0, draw } = this.#options;
    const spread = draw === undefined ? 1 : 1 + resumeJitter * draw();
    this.#timers.soon(resumeDelayMs * spread, () => {
      this.#resumes++;
      this.#run(entry, worker);
      reply({ kind: "ok", actor: runningState(worker.ip), resumed: true });
    });
  }

  #run(entry: Entry, worker: Worker): void {
    entry.phase = { kind: "running", worker, requests: 0, idle: undefined };
    this.#watchIdle(entry, this.#firstUseMs());
  }

  #runAsManyAsFit(): void {
    for (const entry of this.#actors.values()) {
      const worker = this.#workers.claim();
      if (worker === undefined) return;
      this.#run(entry, worker);
    }
  }

  // running => suspending, once nobody has used the actor for `ms`.
  #watchIdle(entry: Entry, ms: number): void {
    const phase = entry.phase;
    if (phase.kind !== "running" || phase.requests > 0 || (this.#options.idleMs ?? 0) <= 0) return;
    phase.idle?.cancel();
    phase.idle = this.#timers.after(ms, () => this.#suspend(entry, phase.worker));
  }

  // running => suspending => suspended: the worker is free only at the end.
  #suspend(entry: Entry, worker: Worker): void {
    const end = () => {
      entry.phase = SUSPENDED;
      this.#workers.release(worker);
    };
    entry.phase = { kind: "suspending", worker };
    this.#timers.soon(this.#options.suspendDelayMs ?? 0, end);
  }

  #firstUseMs(): number {
    return this.#options.firstUseMs ?? this.#options.idleMs ?? 0;
  }

  #scripted(step: Exclude<Step, { kind: "hang" | "pool" }>): ResumeReply {
    if (step.kind === "status") return status(step.code, step.message ?? "");
    if (step.kind === "reset") return { kind: "reset" };
    return {
      kind: "ok",
      actor: {
        status: step.status ?? Actor_Status.RUNNING,
        workerIp: step.workerIp ?? this.#workers.first.ip,
        templateNamespace: step.templateNamespace ?? SIM_TEMPLATE.namespace,
        templateName: step.templateName ?? SIM_TEMPLATE.name,
      },
      resumed: step.resumed ?? false,
    };
  }
}

function status(code: number, message: string): ResumeReply {
  return { kind: "status", code, message };
}

function runningState(workerIp: string): ActorState {
  return {
    status: Actor_Status.RUNNING,
    workerIp,
    templateNamespace: SIM_TEMPLATE.namespace,
    templateName: SIM_TEMPLATE.name,
  };
}
