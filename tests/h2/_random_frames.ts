// Random HTTP/2 traffic: mostly in order, now and then wrong in one place, and cut anywhere.
import type { Random } from "../wire/support/random.ts";
import {
  block,
  concat,
  data,
  END_HEADERS,
  END_STREAM,
  frame,
  FrameReader,
  goAway,
  grpcHead,
  headers,
  literal,
  message,
  PADDED,
  PRIORITY,
  reset,
  settings,
  settingsAck,
  u32,
  windowUpdate,
} from "./_frames.ts";

/** Who speaks: a client opens streams, a server answers those that the client has opened. */
export type Side = "client" | "server";

const RESPONSE = block([":status", "200"], ["content-type", "application/grpc"]);
const TRAILERS = block(["grpc-status", "0"]);

export class RandomFrames {
  readonly #random: Random;
  readonly #side: Side;
  /** Some speakers keep to the rules of the connection, so that it lives long enough to get deep. */
  readonly #rude: boolean;
  #next = 1;

  /** `said`: what this speaker has sent before. */
  constructor(random: Random, side: Side, said: readonly Uint8Array[] = []) {
    this.#random = random;
    this.#side = side;
    this.#rude = random.oneIn(2);
    const heard = new FrameReader().push(concat(...said));
    for (const { type, id } of heard) {
      if (type === "HEADERS" && id >= this.#next) this.#next = id + 2;
    }
  }

  /** The next frames; those of a rude speaker may be damaged. */
  some(ids: readonly number[]): Uint8Array {
    const bytes = this.next(ids);
    return this.wild(60) ? this.damaged(bytes) : bytes;
  }

  /** Is something allowed that may end the connection? */
  wild(n: number): boolean {
    return this.#rude && this.#random.oneIn(n);
  }

  /** Some frames that belong together. `ids`: streams a server may answer. */
  next(ids: readonly number[]): Uint8Array {
    const random = this.#random;
    if (!this.#rude && this.#side === "client" && this.#next === 1) return this.#request();
    if (!this.#rude && this.#side === "server" && ids.length === 0) return settingsAck;
    const id = this.#id(ids);
    switch (random.below(14)) {
      case 0:
      case 1:
      case 2:
        return this.#side === "client" ? this.#request() : this.#answer(id);
      case 3:
      case 4:
        return data(id, this.#payload(), random.oneIn(4) ? END_STREAM : 0);
      case 5:
        return reset(id, random.below(14));
      case 6:
        return windowUpdate(random.oneIn(2) ? 0 : id, this.wild(5) ? 2 ** 30 : random.below(9000));
      case 7:
        return this.wild(3)
          ? settings([random.below(8), random.pick([0, 1, 100, 16_384, 65_535, 2 ** 31])])
          : settings([random.pick([1, 3, 4]), random.pick([0, 1, 100, 16_384, 65_535])]);
      case 8:
        return frame("PING", random.below(2), 0, random.bytes(8));
      case 9:
        return this.#rude
          ? headers(id, this.#block(), random.pick([END_HEADERS, END_HEADERS | END_STREAM]))
          : this.#side === "client"
          ? this.#request()
          : headers(id, TRAILERS, END_HEADERS | END_STREAM);
      case 10:
        return this.#fragments(id);
      case 11:
        return this.#dressed(id);
      case 12:
        return this.wild(4) ? goAway(id, random.below(14), "x") : settingsAck;
      default:
        return this.#rude
          ? frame(random.below(12), random.below(256), id, random.bytes(random.below(30)))
          : frame(99, random.below(256), id, random.bytes(random.below(30)));
    }
  }

  /** The same, changed in a few bytes. */
  damaged(bytes: Uint8Array): Uint8Array {
    const changed = bytes.slice();
    for (let count = 1 + this.#random.below(3); count > 0 && changed.length > 0; count--) {
      changed[this.#random.below(changed.length)] = this.#random.below(256);
    }
    return changed;
  }

  #id(ids: readonly number[]): number {
    if (this.#side === "server") return ids.length > 0 ? this.#random.pick(ids) : 1;
    if (this.wild(6)) return this.#next;
    return Math.max(1, this.#next - 2 * (1 + this.#random.below(6)));
  }

  /** A client's next stream; for a server the one it has. */
  #fresh(id: number): number {
    if (this.#side === "server") return id;
    const fresh = this.#next;
    this.#next += this.#random.oneIn(30) ? 4 : 2;
    return fresh;
  }

  #request(): Uint8Array {
    const id = this.#fresh(0);
    const head = headers(id, concat(grpcHead("/p.S/M"), this.#more()));
    return concat(head, data(id, this.#payload(), this.#random.oneIn(2) ? END_STREAM : 0));
  }

  #answer(id: number): Uint8Array {
    const body = data(id, message(this.#random.bytes(this.#random.below(50))));
    const end = headers(id, TRAILERS, END_HEADERS | END_STREAM);
    return concat(headers(id, RESPONSE), ...this.#random.oneIn(6) ? [body, body] : [body], end);
  }

  #payload(): Uint8Array {
    const random = this.#random;
    const whole = message(random.bytes(random.below(random.oneIn(5) ? 3000 : 40)));
    if (random.oneIn(3)) return whole.slice(random.below(whole.length));
    return random.oneIn(6) ? random.bytes(random.below(60)) : whole;
  }

  /** Fields that use and fill the dynamic table. */
  #more(): Uint8Array {
    const random = this.#random;
    const parts: Uint8Array[] = [];
    for (let count = random.below(4); count > 0; count--) {
      const value = "v".repeat(random.below(random.oneIn(6) ? 2000 : 20));
      if (this.wild(3)) parts.push(Uint8Array.of(0x80 | (62 + random.below(3))));
      else parts.push(literal(`x-${random.below(9)}`, value, random.pick([0, 0x10, 0x40])));
    }
    return concat(...parts);
  }

  #block(): Uint8Array {
    const random = this.#random;
    if (this.wild(3)) return random.bytes(random.below(20));
    const fixed = this.#side === "client" ? grpcHead("/p.S/M") : random.pick([RESPONSE, TRAILERS]);
    return concat(fixed, this.#more());
  }

  #fragments(id: number): Uint8Array {
    if (!this.#rude) id = this.#fresh(id);
    const whole = this.#block();
    const cut = this.#random.below(whole.length + 1);
    const parts = [headers(id, whole.slice(0, cut), 0)];
    for (let count = this.#random.below(4); count > 0; count--) {
      parts.push(frame("CONTINUATION", 0, id, []));
    }
    if (this.wild(5)) parts.push(windowUpdate(0, 1));
    parts.push(frame("CONTINUATION", END_HEADERS, id, whole.slice(cut)));
    return concat(...parts);
  }

  /** HEADERS with padding and a priority. */
  #dressed(id: number): Uint8Array {
    const pad = this.#random.below(20);
    if (!this.#rude) id = this.#fresh(id);
    const priority = concat(u32(this.#random.oneIn(9) ? id : 0), [16]);
    const payload = concat([pad], priority, this.#block(), new Uint8Array(pad));
    return headers(id, payload, END_HEADERS | PADDED | PRIORITY);
  }
}

/** Cuts bytes into chunks, anywhere. */
export function cutUp(random: Random, bytes: Uint8Array): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = at + 1 + random.below(random.oneIn(3) ? 20 : 3000);
    chunks.push(bytes.slice(at, end));
    at = end;
  }
  return chunks;
}
