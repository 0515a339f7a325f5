// Protobuf bytes put together by hand, right or wrong on purpose: for the tests of src/wire, which
// must not lean on the writer that they test.

/** Bytes one after the other. */
export function concat(...parts: (Uint8Array | readonly number[])[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** A varint in its shortest form, or padded with continuation bytes to `size`. */
export function varint(value: number | bigint, size = 0): Uint8Array {
  const out: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  do {
    out.push(Number(rest & 0x7fn));
    rest >>= 7n;
  } while (rest > 0n || out.length < size);
  return Uint8Array.from(out, (byte, i) => i < out.length - 1 ? byte | 0x80 : byte);
}

/** A tag. */
export function tag(field: number, wireType: number): Uint8Array {
  return varint((BigInt(field) << 3n) | BigInt(wireType));
}

/** A length-delimited field; text is UTF-8. */
export function field(
  number: number,
  value: Uint8Array | string | readonly number[] = "",
): Uint8Array {
  const bytes = typeof value === "string" ? new TextEncoder().encode(value) : value;
  return concat(tag(number, 2), varint(bytes.length), bytes);
}

/** A varint field. */
export function number(field: number, value: number | bigint): Uint8Array {
  return concat(tag(field, 0), varint(value));
}

/** HeaderValue inside HeaderMap.headers. */
export function header(
  key: string,
  value: { value?: string; raw?: string | Uint8Array },
): Uint8Array {
  return field(
    1,
    concat(
      field(1, key),
      value.value === undefined ? [] : field(2, value.value),
      value.raw === undefined ? [] : field(3, value.raw),
    ),
  );
}

/** A ProcessingRequest with request headers, each by raw_value. */
export function requestHeaders(pairs: readonly (readonly [string, string])[]): Uint8Array {
  const headers = concat(...pairs.map(([key, raw]) => header(key, { raw })));
  return field(2, concat(field(1, headers), number(3, 1)));
}

/** Lower-case hexadecimal, for golden bytes. */
export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
