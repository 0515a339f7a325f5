// What requests do to the metrics. Place in the flow: an observer of the engine and the ext_proc
// service. Owner: telemetry. On the fast path: two histogram records, no allocation of ours.
import type { Attributes, Counter, Histogram, Meter, UpDownCounter } from "@opentelemetry/api";
import { type Answer, type Observer, type ParkOutcome, type RequestRecord } from "../engine/mod.ts";
import { counter, histogram, upDownCounter } from "./instruments.ts";
import type { LabelSets } from "./label_sets.ts";
import { RouteAttributes } from "./route_attributes.ts";

const WAIT_ATTRIBUTES: Readonly<Record<ParkOutcome, Attributes>> = {
  served: { outcome: "served" },
  budget_exhausted: { outcome: "budget_exhausted" },
  canceled: { outcome: "canceled" },
  timeout: { outcome: "timeout" },
  error: { outcome: "error" },
};

/** What is recorded into. */
export interface Recording {
  readonly meter: Meter;
  readonly labels: LabelSets;
}

/** Records requests and attempts. */
export class RequestMetrics implements Observer {
  readonly #route: Histogram;
  readonly #attempt: Histogram;
  readonly #attributes: RouteAttributes;

  constructor({ meter, labels }: Recording) {
    this.#attributes = new RouteAttributes(labels);
    this.#route = histogram(meter, "routeDuration");
    this.#attempt = histogram(meter, "attemptDuration");
  }

  request(record: RequestRecord): void {
    const seconds = Math.max(0, record.endMs - record.startMs) / 1000;
    this.#route.record(seconds, this.#attributes.of(record.verdict));
  }

  attemptEnded(_flight: unknown, _answer: Answer, tookMs: number): void {
    this.#attempt.record(Math.max(0, tookMs) / 1000);
  }
}

/** Records the parking lot. Made with parking on only: without a lot there is no parking metric. */
export class ParkingMetrics implements Observer {
  readonly #active: UpDownCounter;
  readonly #wait: Histogram;
  readonly #rejected: Counter;

  constructor({ meter }: Recording) {
    this.#active = upDownCounter(meter, "parkingActive");
    this.#wait = histogram(meter, "parkingWait");
    this.#rejected = counter(meter, "parkingRejected");
    // Zero is a value: a page without the name cannot be told from a router without the metric.
    this.#active.add(0);
    this.#rejected.add(0);
  }

  parked(): void {
    this.#active.add(1);
  }

  unparked(_caller: unknown, outcome: ParkOutcome, waitedMs: number): void {
    this.#active.add(-1);
    this.#wait.record(Math.max(0, waitedMs) / 1000, WAIT_ATTRIBUTES[outcome]);
  }

  shed(): void {
    this.#rejected.add(1);
  }
}
