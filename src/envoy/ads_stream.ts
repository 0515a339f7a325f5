// One Envoy's ADS stream: requests in, responses out, a subscription per type. What an Envoy would
// never send ends the stream with INVALID_ARGUMENT. Opened by ads_server.ts. Owned by the Envoy room.
import { Code, escaped } from "../engine/mod.ts";
import type { ServerStream, StreamListener } from "../h2/grpc/types.ts";
import {
  type AdsRequest,
  decodeRequest,
  encodeResponse,
  REQUEST_BYTES_MAX,
} from "./ads_message.ts";
import type { AdsSnapshot, AdsTypeSnapshot } from "./ads_snapshot.ts";
import { type AdsStanding, AdsSubscription } from "./ads_subscription.ts";
import { SERVED_TYPES } from "./ads_types.ts";

/** Types that one stream may ask for, those we do not serve included. */
const TYPES_MAX = 16;
/** Responses to one stream without a new snapshot: an Envoy needs one per type and name. */
const RESPONSES_MAX = 200;
const NODE_SHOWN_CHARS = 64;

/** What we do not serve: there is none of it, for ever. Saying so lets an Envoy go on. */
const NOTHING: AdsTypeSnapshot = { version: "none", resources: new Map() };

/** What a stream needs of its server. */
export interface AdsDesk {
  readonly snapshot: AdsSnapshot;
  /** The first request said who it is. */
  streamNamed(stream: AdsStream): void;
  /** It took a version, or refused it. */
  streamAnswered(stream: AdsStream, typeUrl: string, standing: AdsStanding): void;
  streamClosed(stream: AdsStream): void;
}

export class AdsStream implements StreamListener {
  /** `node.id` as it may be shown; empty before the first request. */
  node = "";
  cluster = "";
  readonly #desk: AdsDesk;
  readonly #stream: ServerStream;
  readonly #subscriptions = new Map<string, AdsSubscription>();
  #nonces = 0;
  #responsesLeft = RESPONSES_MAX;
  #ended = false;

  constructor(desk: AdsDesk, stream: ServerStream) {
    this.#desk = desk;
    this.#stream = stream;
  }

  /** Where every type stands that was asked for. */
  *standings(): Generator<readonly [typeUrl: string, standing: AdsStanding]> {
    for (const [typeUrl, { standing }] of this.#subscriptions) {
      if (standing !== undefined) yield [typeUrl, standing];
    }
  }

  /** There is a new snapshot: sends what changed, in the order of the types. */
  push(): void {
    this.#responsesLeft = RESPONSES_MAX;
    for (const typeUrl of SERVED_TYPES) {
      const subscription = this.#subscriptions.get(typeUrl);
      if (subscription !== undefined) this.#sendIfDue(typeUrl, subscription);
    }
  }

  message(bytes: Uint8Array): void {
    if (this.#ended) return;
    let request: AdsRequest;
    try {
      request = decodeRequest(bytes);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      return this.#refuse(error.message);
    }
    this.#take(request);
  }

  tooLarge(): void {
    this.#refuse(`the request is longer than ${REQUEST_BYTES_MAX} bytes`);
  }

  halfClosed(): void {
    this.#end(Code.OK, "");
  }

  closed(): void {
    this.#ended = true;
    this.#desk.streamClosed(this);
  }

  #take(request: AdsRequest): void {
    if (this.node === "") {
      if (request.nodeId === "") return this.#refuse("the first request does not say node.id");
      this.node = escaped(request.nodeId, NODE_SHOWN_CHARS);
      this.cluster = escaped(request.nodeCluster, NODE_SHOWN_CHARS);
      this.#desk.streamNamed(this);
    }
    const subscription = this.#subscriptionFor(request.typeUrl);
    if (subscription === undefined) return this.#refuse(`more than ${TYPES_MAX} types`);
    const answer = subscription.take(request);
    if (answer === "stale") return;
    if (answer !== "asked") {
      this.#desk.streamAnswered(this, request.typeUrl, subscription.standing!);
    }
    this.#sendIfDue(request.typeUrl, subscription);
  }

  #subscriptionFor(typeUrl: string): AdsSubscription | undefined {
    const known = this.#subscriptions.get(typeUrl);
    if (known !== undefined || this.#subscriptions.size === TYPES_MAX) return known;
    const fresh = new AdsSubscription(typeUrl);
    this.#subscriptions.set(typeUrl, fresh);
    return fresh;
  }

  #sendIfDue(typeUrl: string, subscription: AdsSubscription): void {
    const snapshot = this.#desk.snapshot.get(typeUrl) ?? NOTHING;
    if (this.#ended || !subscription.due(snapshot)) return;
    if (this.#responsesLeft-- === 0) return this.#refuse(`more than ${RESPONSES_MAX} changes`);
    const { version } = snapshot;
    const nonce = String(++this.#nonces);
    const resources = subscription.wanted(snapshot);
    this.#stream.send(encodeResponse({ typeUrl, version, nonce, resources }));
    subscription.sent(version, nonce);
  }

  #refuse(why: string): void {
    this.#end(Code.INVALID_ARGUMENT, why);
  }

  #end(code: number, message: string): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#stream.end(code, message);
  }
}
