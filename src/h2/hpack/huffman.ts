// The Huffman code of HPACK (RFC 7541 section 5.2 and appendix B). The code is canonical, so the
// length of each symbol's code is the whole table; codes and the decoding machine are built at start.
// The decoder eats four bits a step: no code is shorter than five, so a step emits at most one byte.

/** Code length in bits of symbols 0 … 255 and EOS (256), one base-36 digit each. */
const LENGTHS = "dnsssssssoussussssssssusssssssss6aacd68baa8b8666555666666678f6ca" +
  "d67777777777777777777777878djde6f56565666577666567655677777fbeds" +
  "kmkkmmmnmnnnnnonoomnonnnnlmnmnnomlkmmnnlnmmolmnnllmlnmnnkmmmnmmn" +
  "qqkjmnmpqqqrrqopjlqrrqrollqqsrrrkoklmllnmmppooqnqrqqrrrrrsrrrrrq" +
  "u";

const EOS = 256;
const CODES = new Uint32Array(EOS + 1);
const BITS = Uint8Array.from(LENGTHS, (digit) => parseInt(digit, 36));

/** One entry per state and nibble: next state, whether a byte is emitted, that byte; or -1. */
const STEPS = new Int32Array(256 * 16).fill(-1);
const EMITS = 0x10000;
/** 1 for states in which a string may end: nothing, or up to seven 1 bits, since the last byte. */
const MAY_END = new Uint8Array(256);

assignCodes();
buildMachine();

/** Canonical codes: by length, then by symbol. */
function assignCodes(): void {
  let code = 0;
  for (let length = 1; length <= 30; length++) {
    for (let symbol = 0; symbol <= EOS; symbol++) {
      if (BITS[symbol] === length) CODES[symbol] = code++;
    }
    code *= 2;
  }
}

/** Builds the code tree, then walks it from every inner node with every nibble. */
function buildMachine(): void {
  // Two slots per inner node: > 0 the next node, < 0 a leaf (−1 − symbol).
  const tree: number[] = [0, 0];
  for (let symbol = 0; symbol <= EOS; symbol++) {
    let node = 0;
    for (let bit = BITS[symbol]! - 1; bit > 0; bit--) {
      const slot = 2 * node + ((CODES[symbol]! >>> bit) & 1);
      if (tree[slot] === 0) {
        tree[slot] = tree.length / 2;
        tree.push(0, 0);
      }
      node = tree[slot]!;
    }
    tree[2 * node + (CODES[symbol]! & 1)] = -1 - symbol;
  }
  for (let node = 0; node < tree.length / 2; node++) {
    for (let nibble = 0; nibble < 16; nibble++) {
      STEPS[node * 16 + nibble] = walk(tree, node, nibble);
    }
  }
  for (let node = 0, ones = 0; ones < 8; ones++) {
    MAY_END[node] = 1;
    node = tree[2 * node + 1]!;
  }
}

function walk(tree: number[], from: number, nibble: number): number {
  let node = from;
  let emitted = 0;
  for (let bit = 3; bit >= 0; bit--) {
    const next = tree[2 * node + ((nibble >>> bit) & 1)]!;
    if (next >= 0) {
      node = next;
      continue;
    }
    const symbol = -1 - next;
    if (symbol === EOS) return -1;
    emitted = EMITS | (symbol << 8);
    node = 0;
  }
  return emitted | node;
}

/**
 * Decodes `bytes[start, end)` into `into` from 0 on; `into` must hold 8/5 of the input.
 * @returns the length in bytes; -1 for a string with EOS or bad padding (RFC 7541 section 5.2).
 */
export function huffmanDecode(
  bytes: Uint8Array,
  start: number,
  end: number,
  into: Uint8Array,
): number {
  let state = 0;
  let length = 0;
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!;
    const high = STEPS[state * 16 + (byte >>> 4)]!;
    if (high < 0) return -1;
    if (high >= EMITS) into[length++] = high >>> 8;
    const low = STEPS[(high & 0xff) * 16 + (byte & 15)]!;
    if (low < 0) return -1;
    if (low >= EMITS) into[length++] = low >>> 8;
    state = low & 0xff;
  }
  return MAY_END[state] === 1 ? length : -1;
}

/** Bytes that the code of a Latin-1 string takes, padding included. */
export function huffmanLength(text: string): number {
  let bits = 0;
  for (let at = 0; at < text.length; at++) bits += BITS[text.charCodeAt(at) & 0xff]!;
  return (bits + 7) >>> 3;
}

/** Writes the code of a Latin-1 string at `into[at …]`. @returns the position after it. */
export function huffmanEncode(text: string, into: Uint8Array, at: number): number {
  let held = 0;
  let heldBits = 0;
  for (let i = 0; i < text.length; i++) {
    const symbol = text.charCodeAt(i) & 0xff;
    let bits = BITS[symbol]!;
    const code = CODES[symbol]!;
    // At most 7 bits are held, so a byte at a time keeps everything in 32 bits.
    while (bits > 0) {
      const take = Math.min(8 - heldBits, bits);
      held = (held << take) | ((code >>> (bits - take)) & ((1 << take) - 1));
      heldBits += take;
      bits -= take;
      if (heldBits === 8) {
        into[at++] = held;
        held = 0;
        heldBits = 0;
      }
    }
  }
  if (heldBits > 0) into[at++] = (held << (8 - heldBits)) | (0xff >>> heldBits);
  return at;
}
