// The drain-complete file: tells a sidecar's preStop hook that the router no longer needs Envoy.
// Removed at start (one left by an earlier run would let Envoy go too early), written by step 5 of
// the shutdown. Owner: process. It never holds up an exit: failures are for the caller to log.

/** File operations, injected. */
export interface MarkerFiles {
  remove(path: string): Promise<void>;
  write(path: string, text: string): Promise<void>;
}

const SYSTEM: MarkerFiles = {
  remove: (path) => Deno.remove(path),
  write: (path, text) => Deno.writeTextFile(path, text),
};

export class Marker {
  readonly path: string;
  readonly #files: MarkerFiles;

  constructor(path: string, files: MarkerFiles = SYSTEM) {
    this.path = path;
    this.#files = files;
  }

  /**
   * Takes a stale file away. @returns true when there was one.
   * @throws {Error} when it is there and cannot be removed: Envoy would trust it.
   */
  async clear(): Promise<boolean> {
    try {
      await this.#files.remove(this.path);
      return true;
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return false;
      throw new Error(`Cannot remove as stale drain-complete file: ${this.path}`, { cause: error });
    }
  }

  /** @throws {Error} when the file cannot be written; the message names it. */
  async write(): Promise<void> {
    try {
      await this.#files.write(this.path, "drained\n");
    } catch (error) {
      throw new Error(`Cannot write as drain-complete file: ${this.path}`, { cause: error });
    }
  }
}
