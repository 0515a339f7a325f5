// Every bound that protects this transport from a hostile or broken peer, by name, with its default.
// Owned by nobody: read by the server and the client; tests shrink single values.

export interface Limits {
  /** Connections a server holds; one more closes the longest idle one, or is itself closed. */
  readonly connections: number;
  /** Sum of a decoded header list (RFC 9113 section 6.5.2: SETTINGS_MAX_HEADER_LIST_SIZE). */
  readonly headerListBytes: number;
  /** Fields of a header list. */
  readonly headerFields: number;
  /** Encoded header block over all its frames; more ends the connection. */
  readonly headerBlockBytes: number;
  /** CONTINUATION frames of one header block; more ends the connection. */
  readonly continuations: number;
  /**
   * Output a peer has not taken: written but unsent, and held back by flow control, where a message
   * counts for what keeping it takes.
   */
  readonly sendBufferBytes: number;
  /** Memory for messages that have arrived in part, per connection. */
  readonly assemblyBytes: number;
  /** Frames that carry no work (PING, SETTINGS, WINDOW_UPDATE, empty DATA, …): burst and refill. */
  readonly controlBurst: number;
  readonly controlPerSecond: number;
  /** Control frames that each frame with work pays for: a WINDOW_UPDATE or PING follows DATA. */
  readonly controlPerWork: number;
  /**
   * Streams that ended without their answer: burst (at least two sets of streams) and refill. Far
   * above what clients that give up can cause through one Envoy, below a rapid-reset attack.
   */
  readonly resetBurst: number;
  readonly resetsPerSecond: number;
  /**
   * A stream the peer resets after this age is not charged: it has held its place among the concurrent
   * streams, which bounds how many such there can be. An attack opens and resets in one breath.
   */
  readonly resetExemptMs: number;
  /** Connection preface and first SETTINGS, from accept. */
  readonly prefaceMs: number;
  /** From our SETTINGS to its ACK. */
  readonly settingsAckMs: number;
  /** From HEADERS without END_HEADERS to the end of its block. */
  readonly headerBlockMs: number;
  /** A write that the peer's TCP does not take. */
  readonly stalledWriteMs: number;
  /** Output held back by flow control without a window update. */
  readonly blockedMs: number;
  /** Silence after which a server asks a connection by PING whether it lives, and time to answer. */
  readonly idlePingMs: number;
  readonly pingAckMs: number;
  /** A server's connection without a stream for this long is closed by GOAWAY. */
  readonly idleMs: number;
  /** The same for a connection that never had a stream. */
  readonly unusedMs: number;
  /** Between the two GOAWAYs of a graceful end, when the peer does not answer PING. */
  readonly goAwayMs: number;
  /** Reading and discarding after the last GOAWAY: closing with unread input would lose it. */
  readonly lingerMs: number;
}

const KIB = 1024;
const MIB = 1024 * KIB;

export const DEFAULT_LIMITS: Limits = {
  connections: 1024,
  headerListBytes: 128 * KIB,
  headerFields: 1000,
  headerBlockBytes: 192 * KIB,
  continuations: 32,
  sendBufferBytes: 16 * MIB,
  assemblyBytes: 16 * MIB,
  controlBurst: 1000,
  controlPerSecond: 200,
  controlPerWork: 4,
  resetBurst: 10_000,
  resetsPerSecond: 10_000,
  resetExemptMs: 10,
  prefaceMs: 10_000,
  settingsAckMs: 10_000,
  headerBlockMs: 10_000,
  stalledWriteMs: 20_000,
  blockedMs: 60_000,
  idlePingMs: 60_000,
  pingAckMs: 20_000,
  idleMs: 65 * 60_000,
  unusedMs: 5 * 60_000,
  goAwayMs: 1000,
  lingerMs: 500,
};

/** Windows we grant: input is consumed as it is parsed, so they bound only what is in flight. */
export const STREAM_WINDOW_BYTES = 256 * KIB;
export const CONNECTION_WINDOW_BYTES = 4 * MIB;

/** The defaults with single values replaced. */
export function limitsWith(changes: Partial<Limits> | undefined): Limits {
  return changes === undefined ? DEFAULT_LIMITS : { ...DEFAULT_LIMITS, ...changes };
}
