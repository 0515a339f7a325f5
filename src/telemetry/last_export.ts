// How the exports of a flush to a collector ended. Place in the flow: an exporter's answers -> here -> the
// flush at the end, which the SDK itself lets end well whatever the collector said. Owner: telemetry.

/** As the SDK's exporters report it. */
export interface ExportEnd {
  readonly code: number;
  readonly error?: unknown;
}

/** The SDK's word for it: an enumeration of a package that is not ours to import. */
const SUCCESS = 0;

/**
 * What a success says of an export that failed before it: `last`, it is made good, as each export
 * carries all there is; `every`, nothing, as what that one carried is lost.
 */
export type Counted = "last" | "every";

export class LastExport {
  readonly #counted: Counted;
  #fault: unknown;

  constructor(counted: Counted) {
    this.#counted = counted;
  }

  /** `done`, with a look at what it is told. */
  watch<E extends ExportEnd>(done: (end: E) => void): (end: E) => void {
    return (end) => {
      this.#ended(end);
      done(end);
    };
  }

  /** Runs `flush`. @throws {unknown} what the export that counts failed with, of those that ended meanwhile. */
  async during(flush: () => Promise<void>): Promise<void> {
    this.#fault = undefined;
    await flush();
    if (this.#fault !== undefined) throw this.#fault;
  }

  #ended({ code, error }: ExportEnd): void {
    if (this.#counted === "every" && this.#fault !== undefined) return;
    this.#fault = code === SUCCESS ? undefined : error ?? new Error("Cannot export");
  }
}
