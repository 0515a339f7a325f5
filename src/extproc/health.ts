// gRPC health checking (grpc.health.v1: Check and Watch) on the ext_proc port, for probes and load
// balancers. Owned by service.ts; the composition root turns it off near the end of the shutdown.
import { Code } from "../engine/mod.ts";
import { WireError } from "../wire/error.ts";
import { decodeHealthRequest, encodeHealthResponse, ServingStatus } from "../wire/health.ts";
import { HEALTH_WATCHES_MAX } from "./limits.ts";
import type { ServerStream, StreamListener } from "./port.ts";

const CHECK_PATH = "/grpc.health.v1.Health/Check";
const WATCH_PATH = "/grpc.health.v1.Health/Watch";

/** Health of a few services that share one fate. */
export class Health {
  readonly #services: readonly string[];
  readonly #watches = new Set<HealthStream>();
  #serving = true;

  /** @param services names that are known; empty = the server as a whole. */
  constructor(services: readonly string[]) {
    this.#services = services;
  }

  /** Watches in progress. */
  get watches(): number {
    return this.#watches.size;
  }

  /** SERVING or NOT_SERVING from here on; watchers are told of a change. */
  setServing(serving: boolean): void {
    if (serving === this.#serving) return;
    this.#serving = serving;
    for (const watch of this.#watches) watch.tell(this.statusOf(watch.service));
  }

  /** The status of a service by name. */
  statusOf(service: string): ServingStatus {
    if (!this.#services.includes(service)) return ServingStatus.SERVICE_UNKNOWN;
    return this.#serving ? ServingStatus.SERVING : ServingStatus.NOT_SERVING;
  }

  /** A listener for a health stream; undefined for every other path. */
  open(stream: ServerStream): StreamListener | undefined {
    if (stream.path !== CHECK_PATH && stream.path !== WATCH_PATH) return undefined;
    return new HealthStream(this, stream, stream.path === WATCH_PATH);
  }

  /** @returns false when there are too many already. */
  addWatch(watch: HealthStream): boolean {
    if (this.#watches.size >= HEALTH_WATCHES_MAX) return false;
    this.#watches.add(watch);
    return true;
  }

  removeWatch(watch: HealthStream): void {
    this.#watches.delete(watch);
  }
}

/** One Check or Watch call. */
export class HealthStream implements StreamListener {
  /** Of a watch, once it has been asked for. */
  service = "";
  readonly #health: Health;
  readonly #stream: ServerStream;
  readonly #watch: boolean;
  #asked = false;

  constructor(health: Health, stream: ServerStream, watch: boolean) {
    this.#health = health;
    this.#stream = stream;
    this.#watch = watch;
  }

  message(bytes: Uint8Array): void {
    if (this.#asked) return;
    this.#asked = true;
    try {
      this.service = decodeHealthRequest(bytes);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      return this.#stream.end(Code.INVALID_ARGUMENT, "undecodable HealthCheckRequest");
    }
    const status = this.#health.statusOf(this.service);
    if (this.#watch) this.#begin(status);
    else this.#answer(status);
  }

  /** A watcher hears of a change. */
  tell(status: ServingStatus): void {
    this.#stream.send(encodeHealthResponse(status));
  }

  tooLarge(): void {
    this.#asked = true;
    this.#stream.end(Code.RESOURCE_EXHAUSTED, "request too large");
  }

  halfClosed(): void {
    if (this.#asked) return;
    this.#asked = true;
    this.#stream.end(Code.INVALID_ARGUMENT, "no HealthCheckRequest");
  }

  closed(): void {
    this.#health.removeWatch(this);
  }

  #begin(status: ServingStatus): void {
    if (this.#health.addWatch(this)) return this.tell(status);
    this.#stream.end(Code.RESOURCE_EXHAUSTED, "too many health watches");
  }

  #answer(status: ServingStatus): void {
    if (status === ServingStatus.SERVICE_UNKNOWN) {
      return this.#stream.end(Code.NOT_FOUND, "unknown service");
    }
    this.tell(status);
    this.#stream.end(Code.OK);
  }
}
