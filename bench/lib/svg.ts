// Small pieces of SVG for the plots: text, lines, boxes, and a page that is readable on light and dark.
// Pure; used by bar_chart.ts and line_chart.ts.

/** A colour of its own for each transport, on every plot the same. */
export const SERIES_CLASSES = ["first", "second"] as const;

const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328; }
  .title { font-size: 15px; font-weight: 600; }
  .note { font-size: 12px; fill: #59636e; }
  .grid { stroke: #d1d9e0; stroke-width: 1; }
  .first { fill: #0969da; stroke: #0969da; }
  .second { fill: #bc4c00; stroke: #bc4c00; }
  .line { fill: none; stroke-width: 2; }
  text.first, text.second { stroke: none; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; }
    .note { fill: #9198a1; }
    .grid { stroke: #3d444d; }
    .first { fill: #4493f8; stroke: #4493f8; }
    .second { fill: #f0883e; stroke: #f0883e; }
    .line { fill: none; }
  }`;

/** A whole picture. `about` is what screen readers say. */
export function page(width: number, height: number, about: string, parts: string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" ` +
    `height="${height}" role="img" aria-label="${escaped(about)}">`,
    `<style>${STYLE}\n</style>`,
    ...parts,
    "</svg>",
    "",
  ].join("\n");
}

export interface TextLook {
  readonly anchor?: "start" | "middle" | "end";
  readonly of?: string;
}

export function label(x: number, y: number, words: string, look: TextLook = {}): string {
  const { anchor = "start", of } = look;
  const name = of === undefined ? "" : ` class="${of}"`;
  return `<text x="${at(x)}" y="${at(y)}" text-anchor="${anchor}"${name}>${escaped(words)}</text>`;
}

export function rule(x1: number, y1: number, x2: number, y2: number): string {
  return `<line class="grid" x1="${at(x1)}" y1="${at(y1)}" x2="${at(x2)}" y2="${at(y2)}"/>`;
}

export function box(x: number, y: number, width: number, height: number, of: string): string {
  return `<rect class="${of}" x="${at(x)}" y="${at(y)}" width="${at(width)}" ` +
    `height="${at(height)}" rx="2"/>`;
}

/** A line through points, with a dot on each. */
export function path(points: readonly (readonly [x: number, y: number])[], of: string): string {
  const d = points.map(([x, y], i) => `${i === 0 ? "M" : "L"}${at(x)} ${at(y)}`).join(" ");
  const dots = points.map(([x, y]) =>
    `<circle class="${of}" cx="${at(x)}" cy="${at(y)}" r="2.5"/>`
  );
  return [`<path class="line ${of}" d="${d}"/>`, ...dots].join("\n");
}

/** Round steps from 0 to at least `most`, about `count` of them. */
export function ticks(most: number, count: number): number[] {
  const rough = most / count;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * unit).find((size) => size >= rough) ?? rough;
  return Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, i) => i * step);
}

/** Three significant digits, thousands apart. */
export function number(value: number): string {
  return Number(value.toPrecision(3)).toLocaleString("en-US", { maximumSignificantDigits: 3 });
}

function at(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function escaped(words: string): string {
  return words.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
