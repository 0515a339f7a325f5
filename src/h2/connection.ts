// One HTTP/2 connection (RFC 9113), the part that server and client share: the read loop and the ways
// it ends. What frames mean is in on_*.ts, time bounds in watch.ts, and what differs between server
// and client in the role. Owned by that role.
import type { Clock, Timer } from "./clock.ts";
import { Bucket } from "./flood.ts";
import {
  DEFAULT_WINDOW_BYTES,
  ErrorCode,
  FRAME_BYTES_MAX,
  FRAME_HEADER_BYTES,
  PREFACE,
  readUint31,
} from "./frame.ts";
import { FrameWriter } from "./frame_writer.ts";
import { GoAway } from "./go_away.ts";
import { HeaderReader } from "./header_reader.ts";
import { Input } from "./input.ts";
import { CONNECTION_WINDOW_BYTES, type Limits } from "./limits.ts";
import { onFrame } from "./on_frame.ts";
import { Output, type OutputEvents, turn } from "./output.ts";
import type { Connection, Role } from "./core.ts";
import type { Transport } from "./transport.ts";
import { SendFlow } from "./send_flow.ts";
import { PeerSettings } from "./settings.ts";
import { StreamTable } from "./stream_table.ts";

/** `open` · `lingering`: GOAWAY sent, reading and discarding · `closed`. */
type Phase = "open" | "lingering" | "closed";

export class Http2Connection implements Connection, OutputEvents {
  readonly role: Role;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly streams: StreamTable = new StreamTable(this);
  readonly input = new Input();
  readonly output: Output;
  readonly writer: FrameWriter;
  readonly peer: PeerSettings;
  readonly send: SendFlow = new SendFlow(this);
  readonly headers: HeaderReader;
  readonly leaving: GoAway = new GoAway(this);
  /** Streams the peer may have open at once. */
  readonly streamsMax: number;
  readonly startMs: number;
  /** Time of the chunk being parsed, or of the last one. */
  nowMs: number;
  /** When the last stream went; meaningful while there is none. */
  quietSinceMs: number;
  /** Bytes of the client's preface still to come; 0 on a client. */
  prefaceLeft: number;
  /** When we sent SETTINGS that are not acknowledged yet. */
  settingsSentMs: number | undefined = undefined;
  /** When our keepalive PING left; undefined = none is out. */
  pingSentMs: number | undefined = undefined;
  /** Bytes we let the peer send on all streams. */
  receiveWindow = CONNECTION_WINDOW_BYTES;
  /** Frames without work, and streams without an answer, that the peer may still cause. */
  readonly control: Bucket;
  readonly #resets: Bucket;
  readonly #transport: Transport;
  #phase: Phase = "open";
  #told = false;
  #linger: Timer | undefined;

  constructor(transport: Transport, role: Role, clock: Clock, limits: Limits, streamsMax: number) {
    this.#transport = transport;
    this.role = role;
    this.clock = clock;
    this.limits = limits;
    this.streamsMax = streamsMax;
    this.peer = new PeerSettings(role.server);
    this.startMs = this.nowMs = this.quietSinceMs = clock.now();
    this.prefaceLeft = role.server ? PREFACE.length : 0;
    this.output = new Output(transport, this, limits.sendBufferBytes, () => clock.now());
    this.writer = new FrameWriter(this.output);
    this.headers = new HeaderReader(limits);
    this.control = new Bucket(limits.controlBurst, limits.controlPerSecond, this.startMs);
    // A whole set of streams may be given up at once, and once more right after.
    const burst = Math.max(limits.resetBurst, 2 * streamsMax);
    this.#resets = new Bucket(burst, limits.resetsPerSecond, this.startMs);
  }

  /** Takes part in HTTP/2; false once it is ending. */
  get open(): boolean {
    return this.#phase === "open";
  }

  /** Our side of the beginning: the preface (client), SETTINGS, and the connection's window. */
  start(settings: Uint8Array): void {
    if (!this.role.server) this.output.put(PREFACE);
    this.writer.settings(settings);
    this.writer.windowUpdate(0, CONNECTION_WINDOW_BYTES - DEFAULT_WINDOW_BYTES);
    this.settingsSentMs = this.startMs;
  }

  /** Reads until the connection ends. Never rejects. */
  async run(): Promise<void> {
    try {
      while (this.#phase !== "closed") {
        const count = await this.#transport.read(this.input.room());
        if (count === null) return this.gone("closed by the peer");
        this.received(count);
      }
    } catch (error) {
      this.gone(`read failed: ${text(error)}`);
    }
  }

  /** `count` bytes have been read into the input's room. */
  received(count: number): void {
    if (this.#phase !== "open") return;
    this.nowMs = this.clock.now();
    this.input.arrived(count);
    turn.enter();
    try {
      this.#parse();
    } catch (error) {
      this.role.fault(error);
      this.fail(ErrorCode.INTERNAL_ERROR, "internal fault");
    } finally {
      turn.leave();
    }
  }

  #parse(): void {
    const input = this.input;
    if (this.prefaceLeft > 0 && !this.#preface()) return;
    const bytes = input.bytes;
    const end = input.end;
    let at = input.start;
    while (end - at >= FRAME_HEADER_BYTES) {
      const length = (bytes[at]! << 16) | (bytes[at + 1]! << 8) | bytes[at + 2]!;
      if (length > FRAME_BYTES_MAX) {
        return this.fail(ErrorCode.FRAME_SIZE_ERROR, "frame above 16384 bytes");
      }
      const start = at + FRAME_HEADER_BYTES;
      if (end - start < length) break;
      at = start + length;
      onFrame(this, bytes[start - 6]!, bytes[start - 5]!, readUint31(bytes, start - 4), start, at);
      // Who has left is out before the next one comes in: it may need the place that became free.
      if (this.role.server) turn.settle();
      if (this.#phase !== "open") return;
    }
    input.start = at;
  }

  /** RFC 9113 section 3.4. @returns whether all of it has come. */
  #preface(): boolean {
    const { bytes, end } = this.input;
    for (let at = this.input.start; at < end && this.prefaceLeft > 0; at++) {
      if (bytes[at] !== PREFACE[PREFACE.length - this.prefaceLeft]) {
        this.fail(ErrorCode.PROTOCOL_ERROR, "not an HTTP/2 connection preface");
        return false;
      }
      this.prefaceLeft--;
      this.input.start = at + 1;
    }
    return this.prefaceLeft === 0;
  }

  /** A frame with work in it, in or out: it pays for the control frames that follow from it. */
  worked(): void {
    this.control.give(this.limits.controlPerWork);
  }

  /** A frame without work in it, `weight` times. @returns false when that was too many. */
  chargeControl(weight: number): boolean {
    if (this.control.take(weight, this.nowMs)) return true;
    this.fail(ErrorCode.ENHANCE_YOUR_CALM, "too many frames without work in them");
    return false;
  }

  /** One more stream that came to nothing. A client's peer opens none. */
  chargeReset(): void {
    if (!this.role.server || this.#resets.take(1, this.nowMs)) return;
    this.fail(ErrorCode.ENHANCE_YOUR_CALM, "too many streams that came to nothing");
  }

  /** Connection error (RFC 9113 section 5.4.1): GOAWAY, everything on it ends, the socket closes. */
  fail(code: number, why: string): void {
    if (this.#phase === "open") this.role.failed(code, why);
    this.leave(code, why);
  }

  /** GOAWAY, and a linger in which what the peer still sends is read and discarded. */
  leave(code: number, why: string): void {
    if (this.#phase !== "open") return;
    this.writer.goAway(this.streams.lastPeer, code, code === ErrorCode.NO_ERROR ? "" : why);
    this.#phase = "lingering";
    this.input.discard();
    this.#linger = this.clock.after(this.limits.lingerMs, () => this.gone(why));
    this.#drop(why);
  }

  /** The socket is closed now; also when the peer has gone. Idempotent. */
  gone(why: string): void {
    if (this.#phase === "closed") return;
    this.#phase = "closed";
    this.output.stop();
    this.#linger?.cancel();
    this.leaving.stop();
    this.#drop(why);
    try {
      this.#transport.close();
    } catch {
      // Closed already: that is what was asked for.
    }
    this.role.closed();
  }

  /** The role hears first, the streams at the end of the turn. */
  #drop(why: string): void {
    if (this.#told) return;
    this.#told = true;
    this.role.ending(why);
    for (const stream of this.streams.all()) this.streams.remove(stream, "connection", 0);
  }

  // OutputEvents

  overflow(): void {
    this.gone("the peer does not take our output");
  }

  broken(error: unknown): void {
    this.gone(`write failed: ${text(error)}`);
  }

  /**
   * Everything has been written. A client that we leave may have more under way, and must get to see
   * the GOAWAY: it is read out first. A server that we leave has nothing more to learn.
   */
  drained(): void {
    if (this.#phase !== "lingering") return;
    if (this.role.server) this.#transport.closeWrite?.().catch(() => {});
    else this.gone("left");
  }
}

/** For `why`: never more than the first line of it. */
function text(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split("\n", 1)[0]!;
}
