// What the demo reads of a running router: the parking card and how many requests were parked.
import type { Clock } from "../engine/mod.ts";
import { pause } from "./pause.ts";

export interface ParkingNow {
  /** Slots taken now. */
  readonly active: number;
  /** Requests parked since the router's start. */
  readonly parked: number;
}

const TIMEOUT_MS = 2_000;

/**
 * Asks a router's status page.
 * @param statusUrl its address, with or without the path.
 * @throws {Error} when it does not answer within 2 s, or with something else.
 */
export async function readParking(statusUrl: string, clock: Clock): Promise<ParkingNow> {
  const url = new URL("/statusz?format=json", statusUrl);
  const answered = new AbortController();
  const late = new AbortController();
  const timeout = pause(clock, TIMEOUT_MS, answered.signal).then(() => late.abort());
  try {
    const response = await fetch(url, { signal: late.signal });
    const document = await response.json();
    const active = document?.parking?.active;
    const parked = document?.counters?.parked;
    if (typeof active !== "number" || typeof parked !== "number") {
      throw new Error(`Cannot read as a router's status: ${url}`);
    }
    return { active, parked };
  } finally {
    answered.abort();
    await timeout;
  }
}
