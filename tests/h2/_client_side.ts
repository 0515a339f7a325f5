// A client's connection in memory: the real thing on a fake clock, the test plays the server.
import { ClientSide } from "../../src/h2/grpc/client_side.ts";
import type {
  CallEnd,
  CallSink,
  DialOptions,
  PendingUnary,
  UnaryRequest,
} from "../../src/h2/grpc/types.ts";
import { FakeClock } from "../support/fake_clock.ts";
import {
  block,
  concat,
  data,
  END_HEADERS,
  END_STREAM,
  headers,
  message,
  settings,
  settingsAck,
  text,
} from "./_frames.ts";
import { Pipe, settle } from "./_pipe.ts";

/** A call as its maker sees it. */
export class Call implements CallSink {
  startedCount = 0;
  /** `ok <text>`, `status 5 no`, `lost refused unprocessed`, `deadline`, `fault <why>`. */
  readonly ends: string[] = [];
  end: CallEnd | undefined;
  pending: PendingUnary | undefined;
  onEnd: (end: CallEnd) => void = () => {};

  started(): void {
    this.startedCount++;
  }

  answered(end: CallEnd): void {
    this.end = end;
    this.ends.push(shownEnd(end));
    this.onEnd(end);
  }
}

export function shownEnd(end: CallEnd): string {
  switch (end.kind) {
    case "ok":
      return `ok ${new TextDecoder().decode(end.message)}`;
    case "status":
      return `status ${end.code} ${end.message}`;
    case "lost":
      return `lost ${end.cause}${end.unprocessed ? " unprocessed" : ""}`;
    case "deadline":
      return "deadline";
    case "fault":
      return `fault ${end.why}`;
  }
}

export const RESPONSE: Uint8Array = block([":status", "200"], ["content-type", "application/grpc"]);

/** HEADERS, DATA and trailers of a good answer. */
export function answer(id: number, payload: string, status = "0"): Uint8Array {
  return concat(
    headers(id, RESPONSE),
    data(id, message(payload)),
    headers(id, block(["grpc-status", status]), END_HEADERS | END_STREAM),
  );
}

/** Trailers-only. */
export function refusal(id: number, status: number, why: string): Uint8Array {
  const fields = concat(
    RESPONSE,
    block(["grpc-status", `${status}`], ["grpc-message", why]),
  );
  return headers(id, fields, END_HEADERS | END_STREAM);
}

export class ClientStage {
  readonly clock = new FakeClock();
  readonly pipe = new Pipe(24);
  readonly side: ClientSide;
  readonly told: string[] = [];
  ready = false;

  constructor(options: Partial<DialOptions> = {}) {
    this.side = new ClientSide(this.pipe, {
      hostname: "127.0.0.1",
      port: 1,
      authority: "api:443",
      clock: this.clock,
      onDraining: (why) => this.told.push(`draining: ${why}`),
      onClosed: (why) => this.told.push(`closed: ${why}`),
      onFault: (what, error) => this.told.push(`fault: ${what}: ${error}`),
      ...options,
    }, () => this.ready = true);
    this.side.handOut();
    this.side.start();
  }

  /** A client whose server has said hello with these settings. */
  static async open(
    options: Partial<DialOptions> = {},
    ...pairs: [id: number, value: number][]
  ): Promise<ClientStage> {
    const stage = new ClientStage(options);
    stage.pipe.feed(settings(...pairs), settingsAck);
    await settle();
    stage.pipe.heard.length = 0;
    return stage;
  }

  call(payload = "hi", more: Partial<UnaryRequest> = {}): Call {
    const call = new Call();
    call.pending = this.side.call({ path: "/p.S/M", message: text(payload), ...more }, call);
    return call;
  }

  /** Several calls, all under way. */
  async calls(count: number): Promise<Call[]> {
    const calls = Array.from({ length: count }, () => this.call());
    await settle();
    return calls;
  }

  /** The server sends these, and everything that follows happens. @returns what it heard. */
  async says(...chunks: Uint8Array[]): Promise<string[]> {
    const from = this.pipe.heard.length;
    this.pipe.feed(...chunks);
    await settle();
    return this.pipe.lines(from);
  }

  async passes(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 500) {
      this.clock.advance(Math.min(left, 500));
      await settle();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.side.connection.gone("test over");
    await this.side.close();
    await settle();
  }
}
