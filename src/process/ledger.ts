// The drain ledger: every request that was open at the signal or came after it is accounted for
// once. Place in the flow: an observer, counting from the first signal on. Owner: process.
import type { CallerView, Clock, Observer, RequestRecord, Verdict } from "../engine/mod.ts";

/** What became of the requests. `late` of the routed ones were served after their budget. */
export interface LedgerTerms {
  routed: number;
  late: number;
  budget_exhausted: number;
  shed: number;
  denied: number;
  canceled: number;
  timeout: number;
  error: number;
  reset: number;
}

export interface Ledger extends Readonly<LedgerTerms> {
  /** Requests without a verdict when the signal came. */
  readonly open_at_signal: number;
  readonly arrived_since: number;
  /** Requests that still have no verdict: open + arrived − all terms (`late` is part of routed). */
  readonly remaining: number;
}

/** Requests as the ext_proc service counts them. */
export interface RequestCounts {
  /** RequestHeaders messages without a verdict. */
  open(): number;
  /** RequestHeaders messages taken since the start of the process. */
  arrived(): number;
}

function zeroTerms(): LedgerTerms {
  return {
    routed: 0,
    late: 0,
    budget_exhausted: 0,
    shed: 0,
    denied: 0,
    canceled: 0,
    timeout: 0,
    error: 0,
    reset: 0,
  };
}

/** The term a request belongs to. Exactly one. */
export function ledgerTerm(verdict: Verdict): Exclude<keyof LedgerTerms, "late"> {
  switch (verdict.outcome) {
    case "ok":
      return "routed";
    case "shed":
    case "timeout":
    case "error":
    case "reset":
      return verdict.outcome;
    case "cancelled":
      return "canceled";
    default:
      return verdict.park === "budget_exhausted" ? "budget_exhausted" : "denied";
  }
}

/** Adds up what ends after {@link DrainLedger.begin}; before it costs one comparison. */
export class DrainLedger implements Observer {
  readonly #clock: Clock;
  readonly #terms = zeroTerms();
  #counts: RequestCounts | undefined;
  #openAtSignal = 0;
  #arrivedBefore = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  begin(counts: RequestCounts): void {
    this.#counts = counts;
    this.#openAtSignal = counts.open();
    this.#arrivedBefore = counts.arrived();
  }

  request(record: RequestRecord): void {
    if (this.#counts) this.#terms[ledgerTerm(record.verdict)]++;
  }

  callerEnded(caller: CallerView, verdict: Verdict): void {
    if (!this.#counts || verdict.outcome !== "ok") return;
    if (this.#clock.now() > caller.flight.budgetEndMs) this.#terms.late++;
  }

  /** Undefined before the shutdown has begun. */
  view(): Ledger | undefined {
    if (!this.#counts) return undefined;
    const { late: _, ...ends } = this.#terms;
    const ended = Object.values(ends).reduce((sum, count) => sum + count, 0);
    const arrivedSince = this.#counts.arrived() - this.#arrivedBefore;
    return {
      open_at_signal: this.#openAtSignal,
      arrived_since: arrivedSince,
      ...this.#terms,
      remaining: this.#openAtSignal + arrivedSince - ended,
    };
  }
}
