// Files of credentials, as all who read them see them. Owner: controlplane.

/** Reads a whole text file; injected. */
export type ReadFile = (path: string) => string;

export type Warn = (msg: string, fields: Record<string, unknown>) => void;

/** The class of an error tells enough (NotFound, PermissionDenied), and never holds content. */
export function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : "unknown error";
}
