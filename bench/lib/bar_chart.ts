// Grouped horizontal bars as SVG: a group per measure, a bar per transport. Pure.
import { box, label, number, page, rule, SERIES_CLASSES, ticks } from "./svg.ts";

export interface BarGroup {
  readonly name: string;
  /** One value per series. */
  readonly values: readonly number[];
}

export interface BarPlan {
  readonly title: string;
  readonly note: string;
  readonly unit: string;
  readonly series: readonly string[];
  readonly groups: readonly BarGroup[];
}

const WIDTH = 760;
const LEFT = 210;
const RIGHT = 90;
const TOP = 84;
const BAR = 16;
const GAP = 18;
const TICKS = 5;

/** The whole picture. */
export function barChart({ title, note, unit, series, groups }: BarPlan): string {
  const groupHeight = series.length * (BAR + 3) + GAP;
  const bottom = TOP + groups.length * groupHeight;
  const marks = ticks(Math.max(...groups.flatMap((group) => group.values)), TICKS);
  const most = marks.at(-1) ?? 1;
  const x = (value: number) => LEFT + value / most * (WIDTH - LEFT - RIGHT);
  const parts = [
    label(16, 26, title, { of: "title" }),
    label(16, 46, note, { of: "note" }),
    ...series.map((name, i) =>
      label(LEFT + i * 110, TOP - 14, `■ ${name}`, { of: SERIES_CLASSES[i] ?? "note" })
    ),
    ...marks.flatMap((mark) => [
      rule(x(mark), TOP, x(mark), bottom),
      label(x(mark), bottom + 18, `${number(mark)} ${unit}`, { anchor: "middle", of: "note" }),
    ]),
    ...groups.flatMap((group, i) => {
      const y = TOP + i * groupHeight + GAP / 2;
      const middle = y + series.length * (BAR + 3) / 2 + 4;
      return [
        label(LEFT - 10, middle, group.name, { anchor: "end" }),
        ...group.values.flatMap((value, k) => {
          const of = SERIES_CLASSES[k] ?? "note";
          const top = y + k * (BAR + 3);
          return [
            box(LEFT, top, Math.max(1, x(value) - LEFT), BAR, of),
            label(x(value) + 6, top + BAR - 4, `${number(value)} ${unit}`),
          ];
        }),
      ];
    }),
  ];
  return page(WIDTH, bottom + 34, `${title}. ${note}`, parts);
}
