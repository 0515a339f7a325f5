// A service with a fake engine, a fake clock and a watcher, ready for streams.
import { createExtProcService, type ExtProcService } from "../../../src/extproc/service.ts";
import type { RouteMode } from "../../../src/extproc/reply.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { FakeEngine, Watcher } from "./fake_engine.ts";
import { DOMAIN, FakeStream, type StreamSetup } from "./fake_stream.ts";

export class TestDesk {
  readonly clock = new FakeClock();
  readonly engine = new FakeEngine();
  readonly watcher = new Watcher();
  readonly service: ExtProcService;

  constructor(routeMode: RouteMode = "authority") {
    const { clock, engine, watcher: observer } = this;
    this.service = createExtProcService({
      engine,
      observer,
      clock,
      actorDomain: DOMAIN,
      routeMode,
    });
  }

  stream(setup: StreamSetup = {}): FakeStream {
    const stream = new FakeStream(setup);
    stream.openWith(this.service.open);
    return stream;
  }

  /** Open streams, unanswered streams. */
  get counts(): [open: number, unanswered: number] {
    return [this.service.openStreams(), this.service.unanswered()];
  }
}
