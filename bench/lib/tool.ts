// Runs a load generator of the system to its end and gives back what it printed.

/** @throws {Error} when it is not installed (saying which Debian package has it) or fails. */
export async function runTool(
  program: string,
  debianPackage: string,
  args: readonly string[],
): Promise<string> {
  let output: Deno.CommandOutput;
  try {
    const command = new Deno.Command(program, { args: [...args], stdin: "null" });
    output = await command.output();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new Error(`Cannot run as load generator: ${program} (Debian package ${debianPackage})`);
  }
  const text = new TextDecoder();
  const printed = text.decode(output.stdout);
  if (output.success) return printed;
  throw new Error(
    `Cannot use as load run: ${program} ended with ${output.code}\n${printed}` +
      text.decode(output.stderr),
  );
}

/** The first group of `pattern` in `text`. @throws {Error} when it is not there. */
export function found(text: string, pattern: RegExp): string {
  const group = pattern.exec(text)?.[1];
  if (group === undefined) throw new Error(`Cannot find in the output: ${pattern}\n${text}`);
  return group;
}

const UNIT_MS: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1_000, m: 60_000 };

/** `1.24ms`, `310us`, `2s` in ms. */
export function toMs(text: string): number {
  const [, number, unit = ""] = /^([\d.]+)(us|ms|s|m)$/.exec(text) ?? [];
  const factor = UNIT_MS[unit];
  if (factor === undefined) throw new Error(`Cannot read as a time: ${text}`);
  return Number(number) * factor;
}
