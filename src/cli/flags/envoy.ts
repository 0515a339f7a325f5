// Flags of the group Envoy: what the configuration we give it says.
import type { SettingFlag } from "./spec.ts";

export const ENVOY_FLAGS: readonly SettingFlag[] = [
  {
    name: "envoy-cert-path",
    group: "Envoy",
    setting: "envoyCertPath",
    form: { kind: "path" },
    fallback: "",
    help: "PEM file of certificate and key, as Envoy sees it; turns HTTPS on",
    more: "With a / at its end: a folder that holds tls.crt and tls.key.",
  },
  {
    name: "route-timeout",
    group: "Envoy",
    setting: "routeTimeoutMs",
    form: { kind: "duration" },
    fallback: "10s",
    help: "how long a worker's whole answer may take; 0 = no limit",
    more:
      "Streams included. Starts when the request has gone to the worker: time spent parked does " +
      "not count. Envoy ends what takes longer, with 504 or in the middle of the body.",
  },
  {
    name: "otlp-collector-address",
    group: "Envoy",
    setting: "otlpCollectorAddress",
    form: { kind: "address" },
    fallback: "",
    help: "host:port that Envoy sends its traces to (OTLP gRPC)",
  },
  {
    name: "worker-port",
    group: "Envoy",
    setting: "workerPort",
    form: { kind: "port" },
    fallback: "80",
    help: "port that workers listen on",
  },
  {
    name: "route-mode",
    group: "Envoy",
    setting: "routeMode",
    form: { kind: "choice", values: ["authority", "original-dst"] },
    fallback: "authority",
    help: "how Envoy is told the worker: authority or original-dst",
    more: "authority rewrites the host; original-dst keeps the actor's host, fails closed, and " +
      "has no limit of worker addresses.",
  },
];
