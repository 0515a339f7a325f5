// The bearer token of calls, read anew for every one. Used by client.ts. Owner: controlplane.
// The token itself is never put into a message.
import { nameOf, type ReadFile, type Warn } from "./files.ts";

/** What may stand in an ASCII header; anything else is no token. */
const TOKEN = /^[\x21-\x7e]+$/;

/** A token that cannot be used leaves the last one in use. */
export class TokenFile {
  readonly #path: string;
  readonly #readFile: ReadFile;
  readonly #warn: Warn;
  #last: string | undefined;
  /** The trouble was said; said again when it ended and came back. */
  #warned = false;

  /** @throws {Error} naming the file when it cannot be read. An empty one is no mistake. */
  constructor(path: string, readFile: ReadFile, warn: Warn) {
    this.#path = path;
    this.#readFile = readFile;
    this.#warn = warn;
    try {
      readFile(path);
    } catch (error) {
      throw new Error(`Cannot read as token file: ${path} (${nameOf(error)})`, { cause: error });
    }
  }

  /** @returns the value of `authorization`; undefined while there has never been a token. */
  authorization(): string | undefined {
    try {
      const token = this.#readFile(this.#path).trim();
      // Anything else would make a malformed header of it.
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
    this.#warn("control plane: token file unusable", {
      file: this.#path,
      why: nameOf(error),
      using,
    });
  }
}
