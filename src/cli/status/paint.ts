// Colours of a terminal, where somebody looks.

export type Paint = "green" | "yellow" | "red";

const CODES: Readonly<Record<Paint, number>> = { green: 32, yellow: 33, red: 31 };

/** The text in a colour, or as it is. */
export function paint(text: string, with_: Paint, colour: boolean): string {
  return colour ? `\u001b[${CODES[with_]}m${text}\u001b[0m` : text;
}
