// Exceptions from the rules on sizes: one line each, saying why. A line that is no longer needed
// fails the rule test, so this list can only hold what is true.

/** `file` for a file that is too long, `file function` for a function. */
export const EXCEPTIONS: Readonly<Record<string, string>> = {};
