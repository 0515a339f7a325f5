// Cuts the runtime stub out of a program that was compiled with it. A compiled program is the stub,
// then what was embedded, then 16 bytes: magic (u32), hash (u32), length of what was embedded (u64),
// little endian. That holds before version 2.9. Pure.

const TRAILER_BYTES = 16;
const MAGIC = 0x501e;

/** The stub of a compiled program. @throws {TypeError} when it does not end like one. */
export function cutStub(program: Uint8Array): Uint8Array {
  const at = program.length - TRAILER_BYTES;
  if (at < 0) throw new TypeError(`Cannot read as a compiled program: ${program.length} bytes`);
  const trailer = new DataView(program.buffer, program.byteOffset + at, TRAILER_BYTES);
  const magic = trailer.getUint32(0, true);
  const embedded = trailer.getBigUint64(8, true);
  if (magic !== MAGIC || embedded > BigInt(at)) {
    throw new TypeError(`Cannot read as a compiled program: it ends in 0x${magic.toString(16)}`);
  }
  return program.subarray(0, at - Number(embedded));
}

/** SHA-256 in hex. */
export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
