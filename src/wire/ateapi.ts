// The control plane's messages, the few fields of them that the router uses: ResumeActor there and
// back, the ListActors request of the health probe. Used by the control-plane client.
import { Reader, Wire } from "./reader.ts";
import { Writer } from "./writer.ts";

/** An Actor as sent: strings are untrusted, the status may be a number nobody knows. */
export interface WireActor {
  readonly status: number;
  readonly workerIp: string;
  readonly templateNamespace: string;
  readonly templateName: string;
}

/** A ResumeActorResponse. Without an actor its fields have their zero values. */
export interface WireResume {
  readonly actor: WireActor;
  /** True when a resume ran, false when the actor was running already. */
  readonly resumed: boolean;
}

const ACTOR = (1 << 3) | Wire.LEN;
const RESUMED = (2 << 3) | Wire.VARINT;
const RESPONSE_DECLARED = 0b110;
const METADATA = (1 << 3) | Wire.LEN;
const TEMPLATE_NAMESPACE = (2 << 3) | Wire.LEN;
const TEMPLATE_NAME = (3 << 3) | Wire.LEN;
const STATUS = (4 << 3) | Wire.VARINT;
const POD_IP = (7 << 3) | Wire.LEN;
const ACTOR_DECLARED = 0b1001_1110;
const META_VERSION = (4 << 3) | Wire.VARINT;
const META_DECLARED = 0b1_1110;

const writer = new Writer();
const reader = new Reader();

/** ResumeActorRequest {1: ObjectRef {1: atespace, 2: name}}. `boot` is never set. */
export function encodeResumeRequest(atespace: string, actorId: string): Uint8Array {
  writer.begin();
  const mark = writer.mark();
  if (actorId !== "") writer.string(2, actorId);
  if (atespace !== "") writer.string(1, atespace);
  writer.message(1, mark);
  return writer.finish();
}

/** ListActorsRequest {2: page_size}. */
export function encodeListRequest(pageSize: number): Uint8Array {
  writer.begin();
  if (pageSize !== 0) writer.uint32(2, pageSize);
  return writer.finish();
}

/**
 * Decodes a ResumeActorResponse.
 * @throws {WireError} when the bytes are not one.
 */
export function decodeResumeResponse(bytes: Uint8Array): WireResume {
  const end = bytes.length;
  const actor = { status: 0, workerIp: "", templateNamespace: "", templateName: "" };
  let resumed = false;
  reader.open(bytes);
  while (reader.pos < end) {
    const tag = reader.tag(end);
    if (tag === ACTOR) readActor(actor, reader.enter(end));
    else if (tag === RESUMED) resumed = reader.bool(end);
    else reader.unknown(tag, end, RESPONSE_DECLARED);
  }
  return { actor, resumed };
}

function readActor(actor: { -readonly [K in keyof WireActor]: WireActor[K] }, end: number): void {
  while (reader.pos < end) {
    const tag = reader.tag(end);
    switch (tag) {
      case METADATA:
        checkMetadata(reader.enter(end));
        break;
      case TEMPLATE_NAMESPACE:
        actor.templateNamespace = reader.string(end);
        break;
      case TEMPLATE_NAME:
        actor.templateName = reader.string(end);
        break;
      case STATUS:
        actor.status = reader.uint32(end) | 0;
        break;
      case POD_IP:
        actor.workerIp = reader.string(end);
        break;
      default:
        reader.unknown(tag, end, ACTOR_DECLARED);
    }
  }
}

/** Nothing of ResourceMetadata is used, but a message that is not one is refused. */
function checkMetadata(end: number): void {
  while (reader.pos < end) {
    const tag = reader.tag(end);
    if (tag === META_VERSION) reader.uint32(end);
    else if ((tag & 7) === Wire.LEN && tag >>> 3 <= 3) reader.string(end);
    else reader.unknown(tag, end, META_DECLARED);
  }
}
