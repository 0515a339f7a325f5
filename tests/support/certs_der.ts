// Just enough DER to write an X.509 certificate (ITU-T X.690): tag, length, content.

export type Der = Uint8Array<ArrayBuffer>;

function joined(parts: readonly Uint8Array[]): Der {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** One element. */
export function der(tag: number, ...content: readonly Uint8Array[]): Der {
  const body = joined(content);
  const digits: number[] = [];
  for (let rest = body.length; rest > 0; rest >>= 8) digits.unshift(rest & 0xff);
  const length = body.length < 0x80 ? [body.length] : [0x80 | digits.length, ...digits];
  return joined([Uint8Array.of(tag, ...length), body]);
}

export function sequence(...content: readonly Uint8Array[]): Der {
  return der(0x30, ...content);
}

/** A non-negative INTEGER from big-endian bytes. */
export function integer(bytes: Uint8Array): Der {
  let from = 0;
  while (from < bytes.length - 1 && bytes[from] === 0) from++;
  const sign = (bytes[from] ?? 0) >= 0x80 ? [0] : [];
  return der(0x02, Uint8Array.from([...sign, ...bytes.subarray(from)]));
}

/** An OBJECT IDENTIFIER from its dotted form. */
export function oid(dotted: string): Der {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  const bytes = [first * 40 + second];
  for (const arc of rest) {
    const digits = [arc & 0x7f];
    for (let left = arc >> 7; left > 0; left >>= 7) digits.unshift(0x80 | left & 0x7f);
    bytes.push(...digits);
  }
  return der(0x06, Uint8Array.from(bytes));
}

export function text(tag: number, value: string): Der {
  return der(tag, new TextEncoder().encode(value));
}

/** A UTCTime. */
export function utcTime(date: Date): Der {
  return text(0x17, date.toISOString().replace(/^..|[-:T]|\.\d+/g, ""));
}

export function bitString(bytes: Uint8Array): Der {
  return der(0x03, Uint8Array.of(0), bytes);
}

export function octetString(bytes: Uint8Array): Der {
  return der(0x04, bytes);
}

export function pem(label: string, bytes: Uint8Array): string {
  const lines = bytes.toBase64().match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}
