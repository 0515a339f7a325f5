// The cases that public bug reports of systems like this one gave us: each is a test whose name
// begins with its id, and the fix is for the whole kind. Ids by kind.

export const CASES: Readonly<Record<string, readonly string[]>> = {
  protocol: ["B01", "B14", "B15", "B16", "B20", "B23", "B24", "B63", "B65", "B71", "B74"],
  retry: ["B05", "B08", "B09", "B13", "B39", "B40", "B61", "B62", "B64"],
  security: ["B54", "B57", "B58", "B59"],
  memory: ["B26", "B27", "B29", "B30"],
  metrics: ["B03", "B31", "B33", "B37"],
  drain: ["B06", "B07", "B17", "B68", "B75"],
  config: ["B42", "B43", "B45", "B47", "B70"],
  cli: ["B48", "B49", "B51"],
  observability: ["B36", "B53", "B67", "B72", "B73"],
};

/** Every case has a test. */
export const REQUIRED: readonly string[] = Object.values(CASES).flat();
