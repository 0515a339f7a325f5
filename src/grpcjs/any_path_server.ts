// Opens grpc-js's server: it serves only paths registered beforehand and hides the HTTP/2 stream,
// while our port serves every path and may reset. The one place on the server's side that touches
// the library's inside (the version is pinned; the contract tests notice a change). From server.ts.
import * as grpc from "@grpc/grpc-js";

/** What we need of a node HTTP/2 stream. */
export interface WireStream {
  /** RST_STREAM with this code. */
  close(code: number): void;
  /** Closed in both directions, or reset. */
  readonly closed: boolean;
}

/** What we need of a node HTTP/2 session. */
export interface WireSession {
  on(event: "close", listener: () => void): unknown;
  destroy(): void;
}

export type WireHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** One stream as it comes in: the wire, its headers, and grpc-js's framing on top of it. */
export type StreamTaker = (
  wire: WireStream,
  headers: WireHeaders,
  call: grpc.ServerInterceptingCallInterface,
) => void;

/** Names and shapes of grpc-js's own methods. */
interface Inside {
  _streamHandler(interceptors: unknown[], wire: WireStream, headers: WireHeaders): void;
  _retrieveHandler(path: string): unknown;
  _setupHandlers(server: SessionSource, interceptors: unknown[]): void;
}

interface SessionSource {
  on(event: "session", listener: (session: WireSession) => void): unknown;
}

function same<T>(value: T): T {
  return value;
}

/** The handler is never run: the interceptor below takes the call over first. */
function rawHandler(path: string) {
  return { path, type: "bidi", serialize: same, deserialize: same, func: () => {} };
}

/** grpc-js would enforce the deadline by itself and cut our verdict off: it must not see it. */
function withoutTimeout(headers: WireHeaders): WireHeaders {
  if (headers["grpc-timeout"] === undefined) return headers;
  const { "grpc-timeout": _, ...rest } = headers;
  return rest;
}

/** A grpc-js server that hands every stream, whatever its path, to `onStream`. */
export function anyPathServer(
  options: grpc.ServerOptions,
  onSession: (session: WireSession) => void,
  onStream: StreamTaker,
): grpc.Server {
  const server = new grpc.Server(options);
  const inside = server as unknown as Inside;
  const { _streamHandler, _setupHandlers } = inside;
  inside._retrieveHandler = rawHandler;
  inside._streamHandler = (interceptors, wire, headers) => {
    const takeOver = (_method: unknown, call: grpc.ServerInterceptingCallInterface) => ({
      start: () => onStream(wire, headers, call),
    });
    _streamHandler.call(server, [...interceptors, takeOver], wire, withoutTimeout(headers));
  };
  inside._setupHandlers = (source, interceptors) => {
    _setupHandlers.call(server, source, interceptors);
    source.on("session", onSession);
  };
  return server;
}
