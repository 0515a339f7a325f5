// Flags of the group Parking.
import type { SettingFlag } from "./spec.ts";

export const PARKING_FLAGS: readonly SettingFlag[] = [
  {
    name: "parked-request-budget",
    group: "Parking",
    setting: "parkedRequestBudgetMs",
    form: { kind: "duration" },
    fallback: "5s",
    help: "how long new resume attempts may start for a parked request",
    more: "Counted per flight, from its first caller; a later caller for the same actor shares " +
      "what is left. 0 or less means the default. With parking off 15s are used instead.",
  },
  {
    name: "parked-request-max",
    group: "Parking",
    setting: "parkedRequestMax",
    form: { kind: "count" },
    fallback: "1024",
    help: "slots of the parking lot; 0 turns parking off",
    more: "A request that must wait and finds no free slot gets 503 at once.",
  },
  {
    name: "parked-request-retry-interval",
    group: "Parking",
    setting: "parkedRequestRetryIntervalMs",
    form: { kind: "duration" },
    fallback: "100ms",
    help: "delay before the first retry of a resume",
    more: "0 or less means the default.",
  },
  {
    name: "parked-request-retry-factor",
    group: "Parking",
    setting: "parkedRequestRetryFactor",
    form: { kind: "number" },
    fallback: "1.1",
    help: "each delay is the one before it times this; 1 or more",
    more:
      "0 means the default. There is no cap and no limit of attempts: the budget alone bounds " +
      "the wait.",
  },
  {
    name: "parked-request-retry-jitter",
    group: "Parking",
    setting: "parkedRequestRetryJitter",
    form: { kind: "number" },
    fallback: "0.1",
    help: "largest random share added to a delay; from 0 to below 1",
  },
  {
    name: "parked-request-last-chance",
    group: "Parking",
    setting: "parkedRequestLastChance",
    form: { kind: "boolean" },
    fallback: "true",
    help: "make one last attempt at the end of the budget",
    more: "When false, a flight settles at the end of its budget with its last retryable answer.",
  },
  {
    name: "extproc-max-requests",
    group: "Parking",
    setting: "extprocMaxRequests",
    form: { kind: "count" },
    fallback: "0",
    help: "Envoy's breaker for the ext_proc cluster; 0 derives it",
    more: "Derived: twice --parked-request-max, at least 1024. It is also the number of HTTP/2 " +
      "streams that both sides allow.",
  },
];
