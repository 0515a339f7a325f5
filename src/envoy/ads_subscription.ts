// What one Envoy asked for of one type on one stream, and what it made of what it was sent: the
// state-of-the-world rules without a stream. Decides; ads_stream.ts sends. Owned by the Envoy room.
import type { Any } from "@bufbuild/protobuf/wkt";
import type { AdsRequest } from "./ads_message.ts";
import type { AdsTypeSnapshot } from "./ads_snapshot.ts";
import { isNamedType } from "./ads_types.ts";

/** `sent`: no answer yet · `accepted`: in use · `rejected`: refused, the one before is in use. */
export type AdsState = "sent" | "accepted" | "rejected";

/** Where a type stands with one Envoy. */
export interface AdsStanding {
  readonly state: AdsState;
  /** Of the last response; of what the Envoy came with when there was none. */
  readonly version: string;
  /** In use; empty = none yet. */
  readonly inUse: string;
  /** Why it was refused, as the Envoy put it. */
  readonly error: string | undefined;
}

/** What a request was. */
export type AdsAnswer = "stale" | "asked" | "accepted" | "rejected";

const ALL = "*";

/** One type on one stream. */
export class AdsSubscription {
  readonly #named: boolean;
  #names: readonly string[] = [];
  /** Names that the last response was an answer to, whether or not there was such a resource. */
  #answered: readonly string[] = [];
  #nonce = "";
  #standing: AdsStanding = { state: "accepted", version: "", inUse: "", error: undefined };
  #begun = false;

  constructor(typeUrl: string) {
    this.#named = isNamedType(typeUrl);
  }

  /** Undefined before the first response when the Envoy came with nothing. */
  get standing(): AdsStanding | undefined {
    return this.#standing.version === "" ? undefined : this.#standing;
  }

  /** Takes a request of this type. A stale one answers a response that was replaced since. */
  take(request: AdsRequest): AdsAnswer {
    const answers = this.#nonce !== "";
    if (answers && request.nonce !== this.#nonce) return "stale";
    this.#names = request.names;
    // A name that is given up and asked for again later wants an answer again.
    this.#answered = this.#answered.filter((name) => request.names.includes(name));
    if (answers) return this.#settle(request.error);
    if (!this.#begun) {
      const { version } = request;
      this.#standing = { state: "accepted", version, inUse: version, error: undefined };
    }
    this.#begun = true;
    return "asked";
  }

  /** Must the snapshot be sent? A version that was refused is not sent again by itself. */
  due(snapshot: AdsTypeSnapshot): boolean {
    if (!this.#asksForAll() && this.#names.length === 0) return false;
    return snapshot.version !== this.#standing.version ||
      this.#names.some((name) => name !== ALL && !this.#answered.includes(name));
  }

  /** The resources that were asked for. */
  wanted(snapshot: AdsTypeSnapshot): Any[] {
    const all = [...snapshot.resources];
    const asked = this.#asksForAll() ? all : all.filter(([name]) => this.#names.includes(name));
    return asked.map(([, resource]) => resource);
  }

  /** A response with this version and nonce was sent. */
  sent(version: string, nonce: string): void {
    this.#nonce = nonce;
    this.#answered = this.#names;
    this.#standing = { ...this.#standing, state: "sent", version, error: undefined };
  }

  #settle(error: string | undefined): AdsAnswer {
    if (this.#standing.state !== "sent") return "asked";
    const { version } = this.#standing;
    if (error === undefined) {
      this.#standing = { state: "accepted", version, inUse: version, error };
      return "accepted";
    }
    this.#standing = { ...this.#standing, state: "rejected", error };
    return "rejected";
  }

  #asksForAll(): boolean {
    return !this.#named && (this.#names.length === 0 || this.#names.includes(ALL));
  }
}
