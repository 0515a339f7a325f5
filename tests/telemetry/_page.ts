// Reads a Prometheus page into a map of series to values.

export type Page = ReadonlyMap<string, number>;

/** Keys as written: `name` or `name{a="b",c="d"}`. */
export function parsePage(text: string): Page {
  const series = new Map<string, number>();
  for (const line of text.split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    const at = line.lastIndexOf(" ");
    series.set(line.slice(0, at), Number(line.slice(at + 1)));
  }
  return series;
}

/** Names of the series of a page, with their labels, without values. */
export function namesOf(page: Page): Set<string> {
  return new Set([...page.keys()].map((key) => key.replace(/\{.*$/, "")));
}

/** All series of one name. */
export function seriesOf(page: Page, name: string): [string, number][] {
  return [...page].filter(([key]) => key === name || key.startsWith(`${name}{`));
}
