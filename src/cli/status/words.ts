// Numbers, times and names as the status screen writes them. Pure.

/** `a…z`: a long name keeps its two ends. */
export function cutMiddle(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const half = Math.floor((chars - 1) / 2);
  return `${text.slice(0, half)}…${text.slice(text.length - (chars - 1 - half))}`;
}

export function number(value: number): string {
  return value.toLocaleString("en-US");
}

export function seconds(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const digits = ms < 10_000 && ms % 1000 !== 0 ? 1 : 0;
  return `${(ms / 1000).toFixed(digits)} s`;
}

export function rate(count: number, overSeconds: number): string {
  const perSecond = count / Math.max(1, overSeconds);
  return `${perSecond.toFixed(perSecond < 10 ? 1 : 0)}/s`;
}

export function uptime(totalSeconds: number): string {
  const units: readonly [number, string][] = [[86_400, "d"], [3_600, "h"], [60, "m"], [1, "s"]];
  let left = Math.floor(totalSeconds);
  const parts: string[] = [];
  for (const [size, unit] of units) {
    const count = Math.floor(left / size);
    left -= count * size;
    if (count > 0 || parts.length > 0) parts.push(`${count}${unit}`);
  }
  return parts.slice(0, 2).join(" ") || "0s";
}

/** Columns before the text of a line. */
export const LABEL = 10;

/** A line under its name; without a name it goes on with the line above. */
export function labelled(label: string, text: string): string {
  return label.padEnd(LABEL) + text;
}
