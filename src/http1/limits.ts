// Bounds of the page servers: what a client can cost, whoever it is. The status and metrics ports
// listen on every address, and descriptors that they use up are missing on the request path.
// Owner: http1.

export interface HttpLimits {
  /** Connections at a time. One more takes the place of the one that has asked for nothing longest. */
  readonly connections: number;
  /** Closed connections whose client does not take what is being written, beside the others. */
  readonly stuck: number;
  /** An answer up to this length fits into the system's send buffer, so its writer is never stuck. */
  readonly smallBytes: number;
  /** Request line and headers. */
  readonly headBytes: number;
  /** From the connection to the end of the head. */
  readonly headMs: number;
  /** What may follow the head (a body nobody reads, requests sent ahead) before it is not read on. */
  readonly strayBytes: number;
  /** For one answer to be taken. */
  readonly writeMs: number;
  /** Between our end and the client's. */
  readonly lingerMs: number;
}

export const HTTP_LIMITS: HttpLimits = {
  connections: 64,
  stuck: 32,
  smallBytes: 4_096,
  headBytes: 16_384,
  headMs: 5_000,
  strayBytes: 65_536,
  writeMs: 10_000,
  lingerMs: 1_000,
};
