// `grpc-timeout`: at most eight digits and a unit.

const UNIT_MS: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1000,
  m: 1,
  u: 1e-3,
  n: 1e-6,
};
const DIGITS_MAX = 99_999_999;

/** @returns milliseconds (may be a fraction); undefined when malformed. */
export function parseTimeout(value: string): number | undefined {
  const match = /^([0-9]{1,8})([HMSmun])$/.exec(value);
  return match === null ? undefined : Number(match[1]) * UNIT_MS[match[2]!]!;
}

/** The timeout in the finest unit that holds it; rounded up, so that it is never shorter. */
export function formatTimeout(ms: number): string {
  const whole = Math.max(0, Math.ceil(ms));
  if (whole <= DIGITS_MAX) return `${whole}m`;
  const seconds = Math.ceil(whole / 1000);
  if (seconds <= DIGITS_MAX) return `${seconds}S`;
  return `${Math.min(Math.ceil(seconds / 3600), DIGITS_MAX)}H`;
}
