// Which worker addresses may be used as a target (part of step 5): a literal unicast IP and nothing
// else. Names, ports, zones and blanks are refused here, so nothing ever resolves a name for us.

/** Four bytes of a dotted-quad address without leading zeros, or undefined. */
function ipv4(text: string): number[] | undefined {
  const parts = text.split(".");
  if (parts.length !== 4) return undefined;
  const bytes: number[] = [];
  for (const part of parts) {
    if (!/^(0|[1-9][0-9]{0,2})$/.test(part)) return undefined;
    const byte = Number(part);
    if (byte > 255) return undefined;
    bytes.push(byte);
  }
  return bytes;
}

/** The 16-bit groups of one side of `::`, a dotted quad at the end counting as two. */
function groups(side: string, last: boolean): number[] | undefined {
  if (side === "") return [];
  const parts = side.split(":");
  const out: number[] = [];
  for (const [index, part] of parts.entries()) {
    if (last && index === parts.length - 1 && part.includes(".")) {
      const quad = ipv4(part);
      if (quad === undefined) return undefined;
      out.push(quad[0]! * 256 + quad[1]!, quad[2]! * 256 + quad[3]!);
    } else {
      if (!/^[0-9a-fA-F]{1,4}$/.test(part)) return undefined;
      out.push(parseInt(part, 16));
    }
  }
  return out;
}

/** The eight groups of a literal IPv6 address, or undefined. */
function ipv6(text: string): number[] | undefined {
  const sides = text.split("::");
  if (sides.length > 2) return undefined;
  const head = groups(sides[0]!, sides.length === 1);
  const tail = sides.length === 2 ? groups(sides[1]!, true) : [];
  if (head === undefined || tail === undefined) return undefined;
  const missing = 8 - head.length - tail.length;
  if (sides.length === 1 ? missing !== 0 : missing < 1) return undefined;
  return [...head, ...new Array<number>(missing).fill(0), ...tail];
}

/** Unspecified (the whole 0/8), link-local, multicast, broadcast. */
function refusedV4(bytes: readonly number[]): boolean {
  const [a, b] = bytes;
  return a === 0 || (a === 169 && b === 254) || (a! >= 224 && a! <= 239) ||
    bytes.every((byte) => byte === 255);
}

function refusedV6(g: readonly number[]): boolean {
  const leading = g.slice(0, 5).every((group) => group === 0);
  if (leading && g[5] === 0 && g[6] === 0 && g[7] === 0) return true;
  if (leading && g[5] === 0xffff) {
    return refusedV4([g[6]! >> 8, g[6]! & 255, g[7]! >> 8, g[7]! & 255]);
  }
  return (g[0]! & 0xffc0) === 0xfe80 || (g[0]! & 0xff00) === 0xff00;
}

/** Usable addresses that are kept: a few workers answer for all requests. */
const KEPT_MAX = 4096;
const kept = new Map<string, string>();
let keptPort = -1;

/**
 * The `ip:port` Envoy is told, IPv6 in brackets; undefined when `ip` is not a literal address or is
 * unspecified, multicast, broadcast, link-local or an IPv4-mapped form of these.
 */
export function targetOf(ip: string, port: number): string | undefined {
  const known = port === keptPort ? kept.get(ip) : undefined;
  if (known !== undefined) return known;
  const target = checkedTarget(ip, port);
  if (target === undefined) return undefined;
  if (port !== keptPort || kept.size >= KEPT_MAX) kept.clear();
  keptPort = port;
  kept.set(ip, target);
  return target;
}

function checkedTarget(ip: string, port: number): string | undefined {
  if (ip.length > 45) return undefined;
  const v4 = ipv4(ip);
  if (v4 !== undefined) return refusedV4(v4) ? undefined : `${ip}:${port}`;
  const v6 = ipv6(ip);
  return v6 === undefined || refusedV6(v6) ? undefined : `[${ip}]:${port}`;
}
