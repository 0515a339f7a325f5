// The bearer token of calls, read anew for every one. Used by client.ts. The token itself is never
// put into a message.

type Warn = (msg: string, fields: Record<string, unknown>) => void;

/** What may stand in an ASCII header; anything else is no token. */
const TOKEN = /^[\x21-\x7e]+$/;

export class TokenFile {
  readonly #path: string;
  readonly #warn: Warn;
  #last: string | undefined;
  /** The trouble was said; said again when it ended and came back. */
  #warned = false;

  /** @throws {Error} naming the file when it cannot be read. */
  constructor(path: string, warn: Warn) {
    this.#path = path;
    this.#warn = warn;
    try {
      Deno.readTextFileSync(path);
    } catch (error) {
      throw new Error(`Cannot read as token file: ${path} (${nameOf(error)})`, { cause: error });
    }
  }

  /** @returns the value of `authorization`; undefined while there has never been a token. */
  authorization(): string | undefined {
    try {
      const token = Deno.readTextFileSync(this.#path).trim();
      if (!TOKEN.test(token)) throw new TypeError("not a token");
      this.#last = `Bearer ${token}`;
      this.#warned = false;
    } catch (error) {
      this.#complain(error);
    }
    return this.#last;
  }

  #complain(error: unknown): void {
    if (this.#warned) return;
    this.#warned = true;
    const using = this.#last === undefined ? "none" : "the last one read";
    this.#warn("token file unusable", { file: this.#path, why: nameOf(error), using });
  }
}

/** The class tells enough (NotFound, PermissionDenied), and never holds content. */
function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : "unknown error";
}
