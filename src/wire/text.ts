// Bytes to text and the check of UTF-8, for reader.ts and the decoders. Short ASCII, which is
// nearly everything, goes through an array kept per length: half the cost of a TextDecoder.

/** Longest text that takes the ASCII path, in bytes. */
const SHORT_MAX = 128;
const ASCII_MAX = 0x7f;

const lenient = new TextDecoder("utf-8", { ignoreBOM: true });
const strict = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });
const codesByLength: number[][] = Array.from(
  { length: SHORT_MAX + 1 },
  (_, length) => Array.from({ length }, () => 0),
);

/** Text of `bytes[at, end)`; what is not UTF-8 becomes U+FFFD. */
export function textOf(bytes: Uint8Array, at: number, end: number): string {
  const length = end - at;
  const codes = codesByLength[length];
  if (codes === undefined) return lenient.decode(bytes.subarray(at, end));
  let bits = 0;
  for (let i = 0; i < length; i++) {
    const byte = bytes[at + i]!;
    bits |= byte;
    codes[i] = byte;
  }
  if (bits > ASCII_MAX) return lenient.decode(bytes.subarray(at, end));
  return String.fromCharCode.apply(null, codes);
}

/** Is `bytes[at, end)` valid UTF-8? */
export function isUtf8(bytes: Uint8Array, at: number, end: number): boolean {
  let bits = 0;
  for (let i = at; i < end; i++) bits |= bytes[i]!;
  if (bits <= ASCII_MAX) return true;
  try {
    strict.decode(bytes.subarray(at, end));
    return true;
  } catch {
    return false;
  }
}
