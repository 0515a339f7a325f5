// Which runtime is inside a compiled program, read from its bytes: also for machines that cannot run
// here. The container format depends on the version, and nothing else checks that they fit.

const MARKER = "Deno/";
/** Runtimes before 1 are words of other programs about theirs. */
const VERSION = /^([1-9]\d*\.\d+\.\d+)(?![\d.])/;

/** Bytes as text, one character each. */
function latin1(bytes: Uint8Array): string {
  return new TextDecoder("latin1").decode(bytes);
}

/** Versions named as `Deno/1.2.3` in an executable, each once. The runtime names its own. */
export function runtimesIn(bytes: Uint8Array): string[] {
  const found = new Set<string>();
  const text = latin1(bytes);
  for (let at = text.indexOf(MARKER); at !== -1; at = text.indexOf(MARKER, at + 1)) {
    const version = VERSION.exec(text.slice(at + MARKER.length, at + MARKER.length + 16))?.[1];
    if (version !== undefined) found.add(version);
  }
  return [...found];
}

/** Reads a file. @throws {Error} when it does not hold the one runtime that is expected. */
export async function checkRuntime(path: string, version: string): Promise<void> {
  const found = runtimesIn(await Deno.readFile(path));
  if (found.length === 1 && found[0] === version) return;
  const said = found.length === 0 ? "none" : found.join(", ");
  throw new Error(`Cannot ship as a program on Deno ${version}: ${path} holds ${said}`);
}
