// Opens grpc-js's client: what its public face hides and we must know. The one place on the client's
// side that touches the library's inside (the version is pinned; the contract tests notice a
// change). Used by link.ts and call_end.ts.
//   - Did the server send this status, or did the library make it up for a lost stream?
//   - How many streams may be open on this connection, and how long may a header list be?
//   - Which socket is it, so that it can be cut?
//   - How is it closed so that nothing of it lives on?
import * as grpc from "@grpc/grpc-js";
import { decodeMessage } from "./message.ts";

/** How a call ended, according to the wire. */
export type Ending = "sent" | "lost" | "fault";

/** What we need of a node socket. */
export interface WireSocket {
  once(event: "close", listener: () => void): unknown;
  destroy(): void;
}

/** What is known of a connection that is ready. */
export interface Wire {
  /** The peer's current limit. */
  streamsMax(): number;
  /** The longest header list it takes. */
  headerListBytes(): number;
  /** Calls `heard` when a GOAWAY comes, with its error code. */
  onGoAway(heard: (code: number) => void): void;
  /** Calls `heard` when the peer has other settings. */
  onSettings(heard: () => void): void;
  /** Ends the connection and every stream on it at once. */
  cut(): void;
}

interface Session {
  readonly remoteSettings?: {
    readonly maxConcurrentStreams?: number;
    readonly maxHeaderListSize?: number;
  };
  once(event: "goaway", listener: (code: number) => void): unknown;
  on(event: "remoteSettings", listener: () => void): unknown;
  destroy(): void;
}

interface Status extends grpc.StatusObject {
  readonly rstCode?: number;
}

interface Listener {
  onReceiveMetadata(metadata: grpc.Metadata): void;
  onReceiveMessage(message: unknown): void;
  onReceiveStatus(status: Status): void;
}

type Headers = Readonly<Record<string, unknown>>;

interface Stream {
  on(event: "response", listener: (headers: Headers, flags: number) => void): unknown;
  on(event: "trailers", listener: (headers: Headers) => void): unknown;
}

type CreateCall = (
  metadata: grpc.Metadata,
  host: string,
  method: string,
  listener: Listener,
  ...rest: unknown[]
) => { readonly http2Stream: Stream };

interface Transport {
  readonly session: Session;
  createCall: CreateCall;
}

interface Subchannel {
  /** What the library hands to node:net as options. */
  readonly subchannelAddress: { signal?: AbortSignal };
  readonly transport: Transport;
  stopBackoff(): void;
}

interface Wrapped {
  getRealSubchannel(): Subchannel;
}

interface Pick {
  readonly subchannel: Wrapped | null;
  readonly status: grpc.StatusObject | null;
}

interface Dialler {
  /** When it would try the next address; there is none. */
  readonly connectionDelayTimeout?: { close(): void };
}

interface Channel {
  readonly resolvingLoadBalancer: {
    readonly childLoadBalancer: { readonly currentChild: Dialler | null };
  };
  readonly wrappedSubchannels: Iterable<Wrapped>;
  doPick(metadata: grpc.Metadata, info: Record<string, string>): Pick;
}

interface Connector {
  waitForReady(): Promise<void>;
  connect(socket: WireSocket): Promise<{ readonly socket: WireSocket }>;
}

interface CredentialsInside {
  _createSecureConnector(...args: unknown[]): Connector;
}

const END_STREAM = 1;
/** Where a status carries its ending; never on the wire. */
const MARK = "x-atenet-ending";

function channelOf(client: grpc.Client): Channel {
  return (client.getChannel() as unknown as { readonly internalChannel: Channel }).internalChannel;
}

function pick(client: grpc.Client): Pick {
  return channelOf(client).doPick(new grpc.Metadata(), {});
}

/** Only UNAVAILABLE and what names a stream error come from the wire; other words are our side's. */
function madeUp(status: Status): Ending {
  return "rstCode" in status || status.code === grpc.status.UNAVAILABLE ? "lost" : "fault";
}

function tapped(transport: Transport, createCall: CreateCall): CreateCall {
  return (metadata, host, method, listener, ...rest) => {
    let sent: Headers | undefined;
    const saw = (headers: Headers) => {
      if (headers["grpc-status"] !== undefined) sent = headers;
    };
    const call = createCall.call(transport, metadata, host, method, {
      onReceiveMetadata: (head) => listener.onReceiveMetadata(head),
      onReceiveMessage: (message) => listener.onReceiveMessage(message),
      onReceiveStatus: (status) => {
        const ending: Ending = sent ? "sent" : madeUp(status);
        status.metadata.set(MARK, `${ending} ${status.code}`);
        const details = sent ? decodeMessage(String(sent["grpc-message"] ?? "")) : status.details;
        listener.onReceiveStatus({ ...status, details });
      },
    }, ...rest);
    call.http2Stream.on("trailers", saw);
    call.http2Stream.on("response", (headers, flags) => {
      if ((flags & END_STREAM) !== 0) saw(headers);
    });
    return call;
  };
}

/** Taps the connection of a client that is READY. */
export function tap(client: grpc.Client): Wire {
  const transport = pick(client).subchannel?.getRealSubchannel().transport;
  if (!transport?.session) throw new TypeError("Cannot tap as grpc-js transport: not ready");
  transport.createCall = tapped(transport, transport.createCall);
  const { session } = transport;
  return {
    streamsMax: () => session.remoteSettings?.maxConcurrentStreams ?? Infinity,
    headerListBytes: () => session.remoteSettings?.maxHeaderListSize ?? Infinity,
    onGoAway: (heard) => void session.once("goaway", heard),
    onSettings: (heard) => void session.on("remoteSettings", () => heard()),
    cut: () => session.destroy(),
  };
}

/**
 * Closes a client gracefully: calls in progress go on. Timers that outlive the close are stopped:
 * after one of them a client that could not connect would dial again, a minute later.
 * @returns false when it cannot be closed yet: a client begins to dial in the turn after it was made,
 * closed or not.
 */
export function closeForGood(client: grpc.Client): boolean {
  const { wrappedSubchannels, resolvingLoadBalancer } = channelOf(client);
  const subchannels = [...wrappedSubchannels].map((one) => one.getRealSubchannel());
  const dialler = resolvingLoadBalancer.childLoadBalancer.currentChild;
  if (dialler === null) return false;
  client.close();
  for (const subchannel of subchannels) subchannel.stopBackoff();
  dialler.connectionDelayTimeout?.close();
  return true;
}

/**
 * How the call of a failed status ended. A status that never came near a stream is the library's:
 * no connection (`lost`), or a fault.
 */
export function endingOf(error: grpc.ServiceError): Ending {
  const [ending, code] = String(error.metadata?.get(MARK)[0] ?? "").split(" ");
  if (ending === "sent" || ending === "lost" || ending === "fault") {
    // Another code than the stream's: the library refused what the server sent.
    return Number(code) === error.code ? ending : "fault";
  }
  const notStarted = error.details?.startsWith("Failed to start HTTP/2 stream");
  return error.code === grpc.status.UNAVAILABLE || notStarted ? "lost" : "fault";
}

/** Why a client that is in TRANSIENT_FAILURE could not connect. */
export function connectError(client: grpc.Client): string {
  const details = pick(client).status?.details ?? "";
  const [, reason] = /Last error: (?:Error: )?(.*?)\.? Resolution note:/s.exec(details) ?? [];
  return (reason ?? details).replace(/ \(\d{4}-[^)]*\)$/, "") || "cannot connect";
}

/** Ends the sockets of a dial that is about to begin, from its SYN on, when the signal says so. */
export function dialUntil(client: grpc.Client, signal: AbortSignal): void {
  for (const one of channelOf(client).wrappedSubchannels) {
    one.getRealSubchannel().subchannelAddress.signal = signal;
  }
}

/** What a {@link withSocket} tells of. */
export interface SocketOwner {
  /** A dial is about to begin. */
  dialling(): void;
  /** The socket of a connection: the plain one, then the secure. */
  hold(socket: WireSocket): void;
}

/** The same credentials, telling of the sockets of each connection. */
export function withSocket(
  credentials: grpc.ChannelCredentials,
  owner: SocketOwner,
): grpc.ChannelCredentials {
  const inside = credentials as unknown as CredentialsInside;
  const tapped: CredentialsInside = Object.create(credentials);
  tapped._createSecureConnector = (...args) => {
    const connector = inside._createSecureConnector(...args);
    const tappedConnector: Connector = Object.create(connector);
    tappedConnector.waitForReady = () => {
      owner.dialling();
      return connector.waitForReady();
    };
    tappedConnector.connect = async (plain) => {
      owner.hold(plain);
      const result = await connector.connect(plain);
      if (result.socket !== plain) owner.hold(result.socket);
      return result;
    };
    return tappedConnector;
  };
  return tapped as unknown as grpc.ChannelCredentials;
}
