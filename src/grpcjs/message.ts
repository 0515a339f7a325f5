// The `grpc-message` header, percent-encoded UTF-8. The library decodes only part of the escapes a
// server may use, so tap.ts reads the header by itself.

// A byte order mark is a character of the text like any other.
const UTF8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** Never fails: a broken escape stands for itself, bytes that are no UTF-8 become U+FFFD. */
export function decodeMessage(header: string): string {
  const bytes: number[] = [];
  for (let at = 0; at < header.length; at++) {
    const digits = /^%[0-9A-Fa-f]{2}/.test(header.slice(at, at + 3))
      ? header.slice(at + 1, at + 3)
      : "";
    bytes.push(digits === "" ? header.charCodeAt(at) & 0xff : parseInt(digits, 16));
    at += digits.length;
  }
  return UTF8.decode(Uint8Array.from(bytes));
}
