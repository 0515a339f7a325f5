// The `grpc-timeout` header: at most eight digits and a unit. Read by server_stream.ts.

const TIMEOUT = /^(\d{1,8})([HMSmun])$/;
const UNIT_MS: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1_000,
  m: 1,
  u: 1e-3,
  n: 1e-6,
};

/** @returns ms, possibly with a fraction; undefined when absent or malformed (then it is ignored). */
export function parseTimeoutMs(header: string | undefined): number | undefined {
  const [, digits, unit] = TIMEOUT.exec(header ?? "") ?? [];
  const unitMs = UNIT_MS[unit ?? ""];
  return digits === undefined || unitMs === undefined ? undefined : Number(digits) * unitMs;
}
