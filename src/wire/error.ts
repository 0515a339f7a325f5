// The one error of the codec: bytes that are not the message they should be. Thrown by reader.ts,
// caught where messages enter (the ext_proc service, the control-plane client).

/** Bytes that cannot be decoded. The message names what was read and where; never the bytes. */
export class WireError extends RangeError {
  override name = "WireError";

  constructor(what: string, at: number, why: string) {
    super(`Cannot read ${what} as protobuf: ${why} at byte ${at}`);
  }
}
