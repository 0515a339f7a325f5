// On which versions of Deno the grpc-js transport works: it stands on the runtime's own HTTP/2, which
// cannot serve before the first version below and aborts the process after the last. Pure. Owner: app.

const FIRST = [2, 7, 14] as const;
const LAST = [2, 9, 3] as const;

type Version = readonly [major: number, minor: number, patch: number];

function parse(version: string): Version | undefined {
  const [, major, minor, patch] = /^(\d+)\.(\d+)\.(\d+)/.exec(version) ?? [];
  return patch === undefined ? undefined : [Number(major), Number(minor), Number(patch)];
}

/** Below 0 when `a` is older than `b`. */
function compare(a: Version, b: Version): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

/** Why grpc-js cannot be used on this Deno; undefined = it can. */
export function grpcJsProblem(version: string): string | undefined {
  const found = parse(version);
  if (found && compare(found, FIRST) >= 0 && compare(found, LAST) <= 0) return undefined;
  return `Cannot use --grpc-transport=grpc-js on Deno ${version}: it works on ${
    FIRST.join(".")
  } to ` +
    `${LAST.join(".")}. Use --grpc-transport=native, which works on every version`;
}
