// Lines over a common axis as SVG, named where they end. Pure.
import { label, number, page, path, rule, SERIES_CLASSES, ticks } from "./svg.ts";

export interface Line {
  readonly name: string;
  /** What is written below the name, where the line ends. */
  readonly end: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

export interface LinePlan {
  readonly title: string;
  readonly note: string;
  readonly xTitle: string;
  readonly unit: string;
  readonly lines: readonly Line[];
}

const WIDTH = 760;
const HEIGHT = 400;
const LEFT = 80;
const RIGHT = 150;
const TOP = 70;
const BOTTOM = 56;
const TICKS = 5;

/** The whole picture; both axes begin at 0. */
export function lineChart({ title, note, xTitle, unit, lines }: LinePlan): string {
  const all = lines.flatMap((line) => line.points);
  const xMarks = ticks(Math.max(...all.map(([x]) => x)), TICKS);
  const yMarks = ticks(Math.max(...all.map(([, y]) => y)), TICKS);
  const x = (value: number) => LEFT + value / (xMarks.at(-1) ?? 1) * (WIDTH - LEFT - RIGHT);
  const y = (value: number) =>
    HEIGHT - BOTTOM - value / (yMarks.at(-1) ?? 1) * (HEIGHT - TOP - BOTTOM);
  const parts = [
    label(16, 26, title, { of: "title" }),
    label(16, 46, note, { of: "note" }),
    ...yMarks.flatMap((mark) => [
      rule(LEFT, y(mark), WIDTH - RIGHT, y(mark)),
      label(LEFT - 8, y(mark) + 4, `${number(mark)} ${unit}`, { anchor: "end", of: "note" }),
    ]),
    ...xMarks.map((mark) =>
      label(x(mark), HEIGHT - BOTTOM + 20, number(mark), { anchor: "middle", of: "note" })
    ),
    label((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14, xTitle, { anchor: "middle" }),
    ...lines.flatMap((line, i) => {
      const of = SERIES_CLASSES[i] ?? "note";
      const [endX, endY] = line.points.at(-1) ?? [0, 0];
      return [
        path(line.points.map(([px, py]) => [x(px), y(py)] as const), of),
        label(x(endX) + 10, y(endY) - 2, line.name, { of }),
        label(x(endX) + 10, y(endY) + 14, line.end, { of: "note" }),
      ];
    }),
  ];
  return page(WIDTH, HEIGHT, `${title}. ${note}`, parts);
}
