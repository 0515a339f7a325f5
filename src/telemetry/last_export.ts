// How the last export to a collector ended. Place in the flow: an exporter's answers -> here -> the
// flush at the end, which the SDK itself lets end well whatever the collector said. Owner: telemetry.

/** As the SDK's exporters report it. */
export interface ExportEnd {
  readonly code: number;
  readonly error?: unknown;
}

/** The SDK's word for it: an enumeration of a package that is not ours to import. */
const SUCCESS = 0;

export class LastExport {
  #fault: unknown;

  /** `done`, with a look at what it is told. */
  watch<E extends ExportEnd>(done: (end: E) => void): (end: E) => void {
    return (end) => {
      this.#fault = end.code === SUCCESS ? undefined : end.error ?? new Error("Cannot export");
      done(end);
    };
  }

  /** Runs `flush`. @throws {unknown} what the last export that ended meanwhile failed with. */
  async during(flush: () => Promise<void>): Promise<void> {
    this.#fault = undefined;
    await flush();
    if (this.#fault !== undefined) throw this.#fault;
  }
}
