// The socket under a connection, as little of it as a connection needs.

/** `Deno.Conn` fits. */
export interface Transport {
  /** @returns how many bytes came; null at the end. */
  read(into: Uint8Array): Promise<number | null>;
  /** @returns how many bytes were taken; they must not change before that. */
  write(bytes: Uint8Array): Promise<number>;
  close(): void;
  /** Half-closes, where the socket can. */
  closeWrite?(): Promise<void>;
}
