// Mixed traffic for the soak, through Envoy, at a steady rate that does not wait for answers. Every
// request has a number, which is its path: by it the ledger finds it again in both logs.
import { type PendingRequest, startRequest } from "../support/http.ts";
import { hostOf, OK, type Stack } from "../support/stack.ts";
import { CROWD, drawKind, type Kind } from "./kinds.ts";

/** One request as its client saw it. */
export interface Sent {
  readonly kind: Kind;
  readonly sentMs: number;
  endMs: number;
  /** 0 = no answer. */
  status: number;
  /** Its client gave it up. */
  left: boolean;
}

const TICK_MS = 20;
const RUNNING = 40;

export class Traffic {
  /** In the order of their numbers. */
  readonly sent: Sent[] = [];
  readonly #stack: Stack;
  readonly #draw: () => number;
  readonly #running = new Set<Promise<void>>();
  /** Actors with a script whose clients are all done. */
  readonly #done: string[] = [];

  constructor(stack: Stack, draw: () => number) {
    this.#stack = stack;
    this.#draw = draw;
    for (let i = 0; i < RUNNING; i++) stack.script(`warm${i}`, OK);
  }

  /** Requests that have no end yet. */
  get open(): number {
    return this.#running.size;
  }

  /** `perSecond` requests a second for so long; resolves when the last one is sent. */
  async flow(perSecond: number, forMs: number): Promise<void> {
    const startMs = performance.now();
    let sent = 0;
    for (let passedMs = 0; passedMs < forMs; passedMs = performance.now() - startMs) {
      const due = Math.floor(passedMs * perSecond / 1000);
      while (sent < due) sent += this.#send(drawKind(this.#draw()));
      await new Promise((resolve) => setTimeout(resolve, TICK_MS));
    }
  }

  /** So many requests that have to wait, at once. */
  crowd(count: number): void {
    for (let i = 0; i < count; i++) this.#send(CROWD);
  }

  /** Resolves when every request has its end. */
  async ended(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** The control plane forgets whom it has served; the router must be quiet, or it would ask again. */
  forget(): void {
    for (const actor of this.#done.splice(0)) this.#stack.script(actor);
  }

  /** @returns how many requests that was. */
  #send(kind: Kind): number {
    const { callers = 1 } = kind;
    const first = this.sent.length;
    const actor = kind.steps === undefined ? `warm${first % RUNNING}` : `${kind.name}${first}`;
    if (kind.steps !== undefined) this.#stack.script(actor, ...kind.steps(this.#draw));
    const all = Array.from({ length: callers }, () => this.#request(kind, actor));
    const group = Promise.all(all).then(() => {
      if (kind.steps !== undefined) this.#done.push(actor);
      this.#running.delete(group);
    });
    this.#running.add(group);
    return callers;
  }

  async #request(kind: Kind, actor: string): Promise<void> {
    const n = this.sent.length;
    const sent: Sent = { kind, sentMs: performance.now(), endMs: NaN, status: 0, left: false };
    this.sent.push(sent);
    const host = kind.host?.(n) ?? hostOf(actor);
    const request = await startRequest(this.#stack.envoy.httpPort, { host, path: `/${n}` });
    const reply = await this.#untilItLeaves(request, sent);
    sent.status = reply?.status ?? 0;
    sent.endMs = performance.now();
  }

  async #untilItLeaves(
    request: PendingRequest,
    sent: Sent,
  ): Promise<{ status: number } | undefined> {
    const { leavesAfterMs } = sent.kind;
    if (leavesAfterMs === undefined) return await request.reply;
    const timer = setTimeout(() => {
      sent.left = true;
      request.abort();
    }, leavesAfterMs(this.#draw));
    const reply = await request.reply;
    clearTimeout(timer);
    return reply;
  }
}
