// How many tests passed, failed and were skipped: read from what `deno test` prints at its end and
// from the JUnit file it writes. Pure; a run that ends in any other way counts as a failure.

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** How a child process ended. */
export interface Ending {
  readonly code: number;
  readonly signal: string | null;
  /** It was ended because its time was over. */
  readonly timedOut: boolean;
}

export const NOTHING: Counts = { passed: 0, failed: 0, skipped: 0 };

export function sum(all: readonly Counts[]): Counts {
  return all.reduce((a, b) => ({
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
  }), NOTHING);
}

const SUMMARY = new RegExp(
  String.raw`^(?:ok|FAILED) \| (\d+) passed(?: \(.*?\))? \| (\d+) failed(?: \(.*?\))?` +
    String.raw`(?: \| (\d+) ignored)?`,
  "gm",
);

/** The last summary in the output, colours taken off; undefined when there is none. */
function summary(output: string): Counts | undefined {
  // deno-lint-ignore no-control-regex
  const plain = output.replace(/\x1b\[[\d;]*m/g, "");
  const last = [...plain.matchAll(SUMMARY)].at(-1);
  if (!last) return undefined;
  const [, passed, failed, skipped = "0"] = last;
  return { passed: Number(passed), failed: Number(failed), skipped: Number(skipped) };
}

/** Why a run did not end well although no test failed, or undefined when it did end well. */
function fault(found: Counts | undefined, ending: Ending): string | undefined {
  if (ending.timedOut) return "its time was over";
  if (ending.signal) return `it was ended by ${ending.signal}`;
  if (!found) return `it ended with exit code ${ending.code} and without a summary`;
  if (found.passed + found.failed === 0) return "it ran no test";
  if (ending.code !== 0 && found.failed === 0) return `it ended with exit code ${ending.code}`;
  return undefined;
}

/** What a run of `deno test` is worth. `why` says what failed besides the tests themselves. */
export function countRun(output: string, ending: Ending): { counts: Counts; why?: string } {
  const found = summary(output);
  const why = fault(found, ending);
  const counts = found ?? NOTHING;
  return why ? { counts: { ...counts, failed: counts.failed + 1 }, why } : { counts };
}

const CASE = /<testcase name="([^"]*)" classname="([^"]*)"[^>]*>([\s\S]*?)<\/testcase>/g;

function unescape(xml: string): string {
  return xml.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"')
    .replaceAll("&apos;", "'").replaceAll("&amp;", "&");
}

/** `file: name` of what failed and of what was skipped, from a JUnit file. */
export function namesIn(junit: string): { failed: string[]; skipped: string[] } {
  const failed: string[] = [];
  const skipped: string[] = [];
  for (const [, name = "", file = "", inner = ""] of junit.matchAll(CASE)) {
    const line = `${unescape(file).replace(/^\.\//, "")}: ${unescape(name)}`;
    if (inner.includes("<failure")) failed.push(line);
    else if (inner.includes("<skipped")) skipped.push(line);
  }
  return { failed, skipped };
}

/** The last line of every run, alone: `12 passed, 0 failed` and what was skipped, if anything. */
export function lastLine({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}
