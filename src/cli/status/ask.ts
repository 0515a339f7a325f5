// Asks a running router for its status document, and says in plain words why it cannot be had.
// Nothing of an answer that is not a router's own is shown but a short, escaped piece; texts of a
// document that looks like one are made harmless as they are read.
import type { Snapshot } from "../../admin/snapshot.ts";
import { escaped } from "../../engine/mod.ts";
import { harmless } from "../harmless.ts";
import type { CliIo, Reply } from "../io.ts";

/** The document, as text too: `--format json` prints exactly what came. */
export interface Asked {
  readonly ok: true;
  readonly snapshot: Snapshot;
  readonly text: string;
}

export interface Unreachable {
  readonly ok: false;
  readonly why: string;
  readonly fix: string;
}

const SHOWN_CHARS = 60;
const WRONG_PORT =
  "Give the router's status port (--status-port, default 4040), not Envoy's or ext_proc's";
/** No text of a router is longer. */
const TEXT_CHARS_MAX = 4_096;

/** `base` is `http://host:port`, with or without a path. */
export async function askStatus(
  base: string,
  timeoutMs: number,
  io: Pick<CliIo, "get">,
): Promise<Asked | Unreachable> {
  const url = new URL("/statusz?format=json", base).href;
  try {
    return read(await io.get(url, timeoutMs));
  } catch (error) {
    return notReached(error, timeoutMs);
  }
}

function read({ status, contentType, body }: Reply): Asked | Unreachable {
  const document = parsed(body);
  if (isSnapshot(document)) return { ok: true, snapshot: document, text: body };
  const type = escaped(contentType, SHOWN_CHARS) || "no content type";
  const what = status === 200 ? type : `status ${status}`;
  return {
    ok: false,
    why: `something else answers there: ${what}, "${escaped(body.trim(), SHOWN_CHARS)}"`,
    fix: WRONG_PORT,
  };
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body, (_key, value) => typeof value === "string" ? shown(value) : value);
  } catch {
    return undefined;
  }
}

function shown(text: string): string {
  return harmless(text.slice(0, TEXT_CHARS_MAX));
}

function isSnapshot(value: unknown): value is Snapshot {
  const { name, schema } = (value ?? {}) as { name?: unknown; schema?: unknown };
  return name === "atenet-router" && schema === 1;
}

/** A document that names itself a router's but cannot be read as one. */
export function notWhole(): Unreachable {
  return {
    ok: false,
    why: "it answers as a router does, but its status document is not whole",
    fix: "Is it a router of another version, or something that stands in for one?",
  };
}

function notReached(error: unknown, timeoutMs: number): Unreachable {
  const message = error instanceof Error ? error.message : String(error);
  if (/timed out|no answer|signal/i.test(message)) {
    return {
      ok: false,
      why: `no answer within ${timeoutMs} ms`,
      fix: "Is it the status port? A longer --timeout helps when the network is slow",
    };
  }
  if (/refused/i.test(message)) {
    return {
      ok: false,
      why: "connection refused: nothing listens there",
      fix: "Is the router up, and is --status-port above 0? --address names another place",
    };
  }
  if (/not HTTP/.test(message)) {
    return { ok: false, why: "what answers there does not speak HTTP/1", fix: WRONG_PORT };
  }
  return { ok: false, why: escaped(message, 200), fix: "Check --address" };
}
