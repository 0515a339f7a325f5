// The ADS service: state of the world, v3, one snapshot for every Envoy. A StreamOpener for a gRPC
// server of either transport; opens ads_stream.ts per Envoy, knows what each of them uses, says so.
// Made by the composition root. Owned by the Envoy room.
import { Code, description, escaped } from "../engine/mod.ts";
import type { ServerStream, StreamListener, StreamOpener } from "../h2/grpc/types.ts";
import type { AdsSnapshot } from "./ads_snapshot.ts";
import { type AdsDesk, AdsStream } from "./ads_stream.ts";
import type { AdsStanding, AdsState } from "./ads_subscription.ts";

export const ADS_PATH =
  "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources";

/** Envoys at once, unless told otherwise. */
export const ADS_STREAMS_MAX = 512;
/** Refusals that are told apart in the log: three types are served, peers may name others. */
const LOGGED_MAX = 64;
/** Rows of {@link AdsServer.rows}: those that need eyes come first. */
const ROWS_MAX = 100;
const VERSION_SHOWN_CHARS = 64;
const TYPE_SHOWN_CHARS = 128;

export interface AdsOptions {
  readonly snapshot: AdsSnapshot;
  /** Most streams at once; one more is turned away. Default {@link ADS_STREAMS_MAX}. */
  readonly streamsMax?: number;
  /** Strings in `fields` are cut and escaped. */
  readonly log: (
    level: "debug" | "info" | "warn",
    msg: string,
    fields: Readonly<Record<string, string | number>>,
  ) => void;
}

/** Where one type stands with one Envoy; everything from the wire is cut and escaped. */
export interface AdsRow {
  /** Its `node.id`. */
  readonly envoy: string;
  /** `Listener`, `RouteConfiguration`, `Secret`, or what it asked for. */
  readonly type: string;
  readonly version: string;
  readonly state: AdsState;
  /** Why it was refused. */
  readonly error: string | null;
  /** Version that is in use; null before the first. */
  readonly in_use: string | null;
}

/** The server's side of all streams. */
export class AdsServer implements AdsDesk {
  snapshot: AdsSnapshot;
  readonly #log: AdsOptions["log"];
  readonly #streamsMax: number;
  readonly #streams = new Set<AdsStream>();
  /** Refusals of the present snapshot that were logged. */
  readonly #logged = new Set<string>();

  constructor(options: AdsOptions) {
    this.snapshot = options.snapshot;
    this.#log = options.log;
    this.#streamsMax = options.streamsMax ?? ADS_STREAMS_MAX;
  }

  /** Envoys that are connected. */
  get streams(): number {
    return this.#streams.size;
  }

  /** Opens an ADS stream; other paths are unimplemented. */
  readonly open: StreamOpener = (stream) => {
    if (stream.path !== ADS_PATH) return undefined;
    if (this.#streams.size >= this.#streamsMax) return turnAway(stream);
    const opened = new AdsStream(this, stream);
    this.#streams.add(opened);
    return opened;
  };

  /** Serves `next` from here on; every Envoy is sent the types whose version changed. */
  setSnapshot(next: AdsSnapshot): void {
    this.snapshot = next;
    this.#logged.clear();
    for (const stream of this.#streams) stream.push();
  }

  /** What every Envoy makes of every type: refused first, then not answered, at most 100. */
  rows(): AdsRow[] {
    const rows = [...this.#streams].flatMap((stream) =>
      [...stream.standings()].map(([typeUrl, standing]) => rowOf(stream, typeUrl, standing))
    );
    return rows.sort((a, b) => urgency(a) - urgency(b)).slice(0, ROWS_MAX);
  }

  streamNamed({ node, cluster }: AdsStream): void {
    this.#log("info", "Envoy connected over xDS", { node, cluster, envoys: this.#streams.size });
  }

  streamAnswered(stream: AdsStream, typeUrl: string, standing: AdsStanding): void {
    const { envoy, type, version, error } = rowOf(stream, typeUrl, standing);
    if (error === null) {
      return this.#log("debug", "Envoy uses the configuration", { node: envoy, type, version });
    }
    const key = `${type} ${version}`;
    if (this.#logged.has(key) || this.#logged.size >= LOGGED_MAX) return;
    this.#logged.add(key);
    this.#log("warn", "Envoy refused the configuration", { node: envoy, type, version, error });
  }

  streamClosed(stream: AdsStream): void {
    this.#streams.delete(stream);
    if (stream.node === "") return;
    const { node, cluster } = stream;
    this.#log("debug", "Envoy left xDS", { node, cluster, envoys: this.#streams.size });
  }
}

function rowOf({ node }: AdsStream, typeUrl: string, standing: AdsStanding): AdsRow {
  const { version, state, error, inUse } = standing;
  return {
    envoy: node,
    type: escaped(typeUrl.slice(typeUrl.lastIndexOf(".") + 1), TYPE_SHOWN_CHARS),
    version: escaped(version, VERSION_SHOWN_CHARS),
    state,
    error: error === undefined ? null : description(error),
    in_use: inUse === "" ? null : escaped(inUse, VERSION_SHOWN_CHARS),
  };
}

function urgency({ state }: AdsRow): number {
  return state === "rejected" ? 0 : state === "sent" ? 1 : 2;
}

/** A stream too many: ended at once; what it still says is not heard. */
function turnAway(stream: ServerStream): StreamListener {
  stream.end(Code.RESOURCE_EXHAUSTED, "too many Envoys");
  return { message() {}, tooLarge() {}, halfClosed() {}, closed() {} };
}
