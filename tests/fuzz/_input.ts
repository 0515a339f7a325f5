// One input of a fuzz target, and its line in a corpus: bytes as hex, text as JSON writes it, or a talk
// of several parts with the seed of everything else that happens in it. Used by _loop.ts,
// _corpus.ts and, in another thread, _watchdog_worker.ts.
import { hex } from "../wire/support/bytes.ts";

/** `hex`: one part, bytes · `text`: one part, UTF-16 · `talk`: parts that follow each other. */
export type Form = "hex" | "text" | "talk";

export class Input {
  /** Draws of the run itself (who acts when, where bytes are cut) come from this. */
  readonly seed: number;
  readonly parts: Uint8Array[];
  /** A talk may go on with so many more parts that are made while it runs. */
  #grows: number;
  /** Hears of parts that are added while the input runs. */
  heard: ((part: Uint8Array) => void) | undefined;

  constructor(seed: number, parts: readonly Uint8Array[], grows = 0) {
    this.seed = seed >>> 0;
    this.parts = [...parts];
    this.#grows = grows;
  }

  static bytes(bytes: Uint8Array): Input {
    return new Input(0, [bytes]);
  }

  static text(text: string): Input {
    const units = Uint16Array.from({ length: text.length }, (_, i) => text.charCodeAt(i));
    return new Input(0, [new Uint8Array(units.buffer)]);
  }

  /** May a part be added? */
  get grows(): boolean {
    return this.#grows > 0;
  }

  /** Adds a part that was made while the input runs: from here on it belongs to it. */
  add(part: Uint8Array): void {
    this.#grows--;
    this.parts.push(part);
    this.heard?.(part);
  }

  /** Of the form `hex`. */
  get bytes(): Uint8Array {
    return this.parts[0] ?? new Uint8Array(0);
  }

  /** Of the form `text`; lone surrogates survive. */
  get text(): string {
    const { bytes } = this;
    let text = "";
    for (let at = 0; at + 1 < bytes.length; at += 2) {
      text += String.fromCharCode(bytes[at]! | (bytes[at + 1]! << 8));
    }
    return text;
  }
}

/** The line of a corpus that holds this input. */
export function lineOf(form: Form, input: Input, what: string): string {
  switch (form) {
    case "hex":
      return JSON.stringify({ what, hex: hex(input.bytes) });
    case "text":
      return JSON.stringify({ what, text: input.text });
    case "talk":
      return JSON.stringify({ what, seed: input.seed, parts: input.parts.map(hex) });
  }
}

/** @throws {SyntaxError} when the line is none of this form. */
export function inputOf(
  form: Form,
  line: string,
): { readonly what: string; readonly input: Input } {
  const { what, hex: bytes, text, seed, parts } = JSON.parse(line);
  if (typeof what !== "string" || what === "") throw wrong(form, line);
  if (form === "hex" && typeof bytes === "string") return { what, input: Input.bytes(raw(bytes)) };
  if (form === "text" && typeof text === "string") return { what, input: Input.text(text) };
  if (form !== "talk" || !Array.isArray(parts)) throw wrong(form, line);
  return { what, input: new Input(Number(seed), parts.map(raw)) };
}

function wrong(form: Form, line: string): SyntaxError {
  return new SyntaxError(`Cannot read line as ${form} input: ${line.slice(0, 200)}`);
}

function raw(hexDigits: string): Uint8Array {
  if (!/^(?:[0-9a-f]{2})*$/.test(hexDigits)) {
    throw new SyntaxError(`Cannot read as hex: ${hexDigits.slice(0, 200)}`);
  }
  return Uint8Array.from(
    { length: hexDigits.length / 2 },
    (_, i) => Number.parseInt(hexDigits.slice(2 * i, 2 * i + 2), 16),
  );
}
