// The name somebody probably meant.

/** Edits (insert, drop, replace, swap of neighbours) between two short words. */
export function distance(a: string, b: string): number {
  let before: number[] = [];
  let above: number[] = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let least = Math.min(above[j]! + 1, row[j - 1]! + 1, above[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, before[j - 2]! + 1);
      }
      row.push(least);
    }
    [before, above] = [above, row];
  }
  return above[b.length]!;
}

/** Longer words are cut before they are compared: the cost grows with the square. */
const LENGTH_MAX = 64;

/**
 * The candidate nearest to `word`: one that contains it whole, else the one with the fewest edits.
 * Undefined when more than half of the word would have to change.
 */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const plain = word.toLowerCase().replaceAll("_", "-").slice(0, LENGTH_MAX);
  let best: string | undefined;
  let bestEdits = Math.floor(Math.max(plain.length, 2) / 2) + 1;
  for (const candidate of candidates) {
    const edits = distance(plain, candidate.slice(0, LENGTH_MAX));
    if (edits < bestEdits) [best, bestEdits] = [candidate, edits];
  }
  const holding = plain.length < 3 ? [] : candidates.filter((name) => name.includes(plain));
  return bestEdits > 2 && holding.length > 0 ? holding[0] : best;
}
