// Durations as people and flags write them. Owner: admin.

const UNITS: ReadonlyArray<readonly [string, number]> = [
  ["h", 3_600_000],
  ["m", 60_000],
];

/** Go style: `0s`, `300ms`, `1.5s`, `2m`, `1h30m`. Rounded to whole ms. */
export function goDuration(ms: number): string {
  let left = Math.round(Math.abs(ms));
  if (left === 0) return "0s";
  const sign = ms < 0 ? "-" : "";
  if (left < 1000) return `${sign}${left}ms`;
  let text = sign;
  for (const [unit, size] of UNITS) {
    const count = Math.floor(left / size);
    if (count > 0) text += `${count}${unit}`;
    left -= count * size;
  }
  return left > 0 ? `${text}${left / 1000}s` : text;
}

/** Roughly, for people: `3d 4h`, `2h 5m`, `4m 10s`, `12s`. */
export function roughDuration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const parts: ReadonlyArray<readonly [number, string]> = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor(seconds / 3600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "m"],
    [seconds % 60, "s"],
  ];
  const first = parts.findIndex(([count]) => count > 0);
  if (first < 0) return "0s";
  return parts.slice(first, first + 2).filter(([count]) => count > 0)
    .map(([count, unit]) => `${count}${unit}`).join(" ");
}
