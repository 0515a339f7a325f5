// A client under contract: its calls as the engine would see them, its log, and what it was given.
import { assert } from "@std/assert";
import type { ClientOptions, Connect, ControlPlaneClient } from "../../src/controlplane/port.ts";
import type { Answer, AttemptSink, PendingCall, TraceContext } from "../../src/engine/mod.ts";
import { until } from "../support/until.ts";

const ANSWER_MS_MAX = 10_000;

/** One resume, as its sink heard it. */
export class Attempt implements AttemptSink {
  startedCount = 0;
  readonly answers: Answer[] = [];
  startMs = performance.now();
  endMs: number | undefined;
  #call: PendingCall | undefined;

  started(): void {
    assert(this.answers.length === 0, "started after the answer");
    this.startedCount++;
  }

  answered(answer: Answer): void {
    assert(this.#call !== undefined, "answered before resume has returned");
    this.answers.push(answer);
    this.endMs = performance.now();
  }

  begin(client: ControlPlaneClient, actor: string, trace?: TraceContext): this {
    const [atespace = "", actorId = ""] = actor.split("/");
    this.#call = client.resume({ actor: { atespace, actorId }, trace }, this);
    return this;
  }

  withdraw(): boolean {
    assert(this.#call, "withdrawn before it began");
    return this.#call.withdraw();
  }

  async answer(): Promise<Answer> {
    await until("an answer", () => this.answers.length > 0);
    return this.answers[0] as Answer;
  }
}

export interface LogLine {
  readonly level: "info" | "warn";
  readonly msg: string;
  readonly fields: Record<string, unknown>;
}

export class ClientStage implements AsyncDisposable {
  readonly client: ControlPlaneClient;
  readonly attempts: Attempt[] = [];
  readonly log: LogLine[];

  private constructor(client: ControlPlaneClient, log: LogLine[]) {
    this.client = client;
    this.log = log;
  }

  /** Connects without waiting for a connection. */
  static async open(
    connect: Connect,
    address: string,
    options: Partial<ClientOptions> = {},
  ): Promise<ClientStage> {
    const log: LogLine[] = [];
    const client = await connect({
      address,
      credentials: { kind: "insecure" },
      log: (level, msg, fields = {}) => void log.push({ level, msg, fields }),
      ...options,
    });
    return new ClientStage(client, log);
  }

  /** Connects and waits until a connection is ready. */
  static async ready(
    connect: Connect,
    address: string,
    options: Partial<ClientOptions> = {},
  ): Promise<ClientStage> {
    const stage = await ClientStage.open(connect, address, options);
    let isWarm = false;
    void stage.client.warm().then(() => isWarm = true);
    try {
      await until("a ready connection", () => isWarm);
    } catch (error) {
      await stage.client.close();
      throw error;
    }
    return stage;
  }

  resume(actor: string, trace?: TraceContext): Attempt {
    const attempt = new Attempt();
    this.attempts.push(attempt);
    return attempt.begin(this.client, actor, trace);
  }

  /** Resumes again and again, as the engine does, until the answer is no loss. */
  async untilAnswered(actor: string, everyMs = 20): Promise<Answer> {
    const endMs = performance.now() + ANSWER_MS_MAX;
    while (true) {
      const answer = await this.resume(actor).answer();
      if (answer.kind !== "lost") return answer;
      if (performance.now() > endMs) throw new Error(`Cannot wait longer: ${answer.why}`);
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close();
    for (const { answers, startedCount } of this.attempts) {
      assert(answers.length <= 1, "answered twice");
      assert(startedCount <= 1, "started twice");
    }
  }
}

/** The worker's address of an OK answer, or the answer in words. */
export function summary(answer: Answer): string {
  switch (answer.kind) {
    case "ok":
      return answer.actor.workerIp;
    case "status":
      return `${answer.code} ${answer.message}`;
    default:
      return answer.kind;
  }
}
