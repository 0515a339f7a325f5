// Plain counts of what happened since the start, for the status page and the shutdown ledger; they
// work with metrics switched off. Place in the flow: an observer. Owner: telemetry.
import type { CountsView } from "../admin/sources.ts";
import {
  type Answer,
  codeName,
  type Observer,
  PARK_OUTCOMES,
  type ParkOutcome,
  type RequestRecord,
  ROUTE_OUTCOMES,
} from "../engine/mod.ts";

/**
 * Label of an answer: the gRPC code name, `LOST` or `FAULT`. A closed set: numbers that gRPC does not
 * define are `UNKNOWN`.
 */
export function answerLabel(answer: Answer): string {
  switch (answer.kind) {
    case "ok":
      return "OK";
    case "lost":
      return "LOST";
    case "fault":
      return "FAULT";
    case "status":
      return answer.code >= 0 && answer.code < GRPC_CODES ? codeName(answer.code) : "UNKNOWN";
  }
}

const GRPC_CODES = 17;

/** Every label {@link answerLabel} can give. */
export const ANSWER_LABELS: readonly string[] = [
  ...Array.from({ length: GRPC_CODES }, (_, code) => codeName(code)),
  "LOST",
  "FAULT",
];

function zeros<Name extends string>(names: readonly Name[]): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;
}

/** Counts everything; {@link CountingObserver.counts} is a copy. */
export class CountingObserver implements Observer {
  readonly #requests = zeros(ROUTE_OUTCOMES);
  readonly #waits = zeros(PARK_OUTCOMES);
  readonly #attempts = new Map<string, number>();
  #parked = 0;
  #shed = 0;
  #flights = 0;
  #flightsRefused = 0;
  #resumed = 0;
  #bugs = 0;
  #warnings = 0;

  counts(): CountsView {
    return {
      requests: { ...this.#requests },
      waits: { ...this.#waits },
      parked: this.#parked,
      shed: this.#shed,
      flights: this.#flights,
      flightsRefused: this.#flightsRefused,
      attempts: Object.fromEntries(this.#attempts),
      resumed: this.#resumed,
      bugs: this.#bugs,
      warnings: this.#warnings,
    };
  }

  request(record: RequestRecord): void {
    this.#requests[record.verdict.outcome]++;
  }

  flightBegan(): void {
    this.#flights++;
  }

  flightRefused(): void {
    this.#flightsRefused++;
  }

  attemptEnded(_flight: unknown, answer: Answer): void {
    const label = answerLabel(answer);
    this.#attempts.set(label, (this.#attempts.get(label) ?? 0) + 1);
    if (answer.kind === "ok" && answer.resumed) this.#resumed++;
  }

  parked(): void {
    this.#parked++;
  }

  unparked(_caller: unknown, outcome: ParkOutcome): void {
    this.#waits[outcome]++;
  }

  shed(): void {
    this.#shed++;
  }

  bug(): void {
    this.#bugs++;
  }

  warn(): void {
    this.#warnings++;
  }
}
