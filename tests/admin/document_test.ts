// docs/statusz.md names every field of the status document, with its type, and no other.
import { assert, assertEquals } from "@std/assert";
import { buildSnapshot } from "../../src/admin/build_snapshot.ts";
import { SUMMARY_KINDS } from "../../src/admin/snapshot.ts";
import { busySources } from "./_busy.ts";
import { sources } from "./_sources.ts";

const DOC = new URL("../../docs/statusz.md", import.meta.url);
/** Maps: their keys are values. */
const MAPS = /^(counters\.(requests|waits|attempts)|drain\.ledger)\.\w+$/;

/** Path -> types of the values found there. */
function fieldsOf(value: unknown, path = "", found = new Map<string, Set<string>>()) {
  if (Array.isArray(value)) {
    for (const item of value) fieldsOf(item, `${path}[]`, found);
    return found;
  }
  const type = value === null ? "null" : typeof value;
  if (path !== "" && type !== "object") {
    const key = MAPS.test(path) ? path.replace(/\.\w+$/, ".*") : path;
    found.set(key, (found.get(key) ?? new Set()).add(type));
  }
  if (type === "object") {
    for (const [name, inner] of Object.entries(value as object)) {
      fieldsOf(inner, path === "" ? name : `${path}.${name}`, found);
    }
  }
  return found;
}

/** Path -> type as written. */
async function documented(): Promise<Map<string, string>> {
  const rows = (await Deno.readTextFile(DOC)).matchAll(/^\| `([^`]+)` \| ([a-z ]+) \|/gm);
  return new Map([...rows].map(([, path = "", type = ""]) => [path, type]));
}

function snapshots(): Map<string, Set<string>> {
  const found = fieldsOf(JSON.parse(JSON.stringify(buildSnapshot(busySources()))));
  const answering = () => ({
    admin: "",
    answering: null,
    state: null,
    connections: 0,
    streams: 0,
    config: [],
  });
  const controlPlane = () => ({
    address: "a:1",
    auth: "jwt",
    connections: [],
    downMs: 1,
    probe: null,
  });
  const started = buildSnapshot(sources({ envoy: answering, controlPlane }));
  const away = buildSnapshot(sources({ readiness: { word: "starting", ready: () => false } }));
  for (const other of [started, away]) fieldsOf(JSON.parse(JSON.stringify(other)), "", found);
  return found;
}

Deno.test("every field is in the document, and every row of it is a field", async () => {
  const doc = await documented();
  const found = [...snapshots().keys()];
  assertEquals(found.filter((path) => !doc.has(path)), []);
  const objects = ["drain", "control_plane.probe"];
  const kept = [...doc.keys()].filter((path) => !objects.includes(path));
  assertEquals(kept.filter((path) => !found.includes(path)), []);
});

Deno.test("types are as written", async () => {
  const doc = await documented();
  for (const [path, types] of snapshots()) {
    const written = (doc.get(path) ?? "").split(" or ");
    for (const type of types) {
      const fits = written.includes(type) || (type === "null" && written.includes("null"));
      assert(fits, `${path} is ${type}, written ${written}`);
    }
  }
});

Deno.test("every kind of sentence is in the document", async () => {
  const text = await Deno.readTextFile(DOC);
  for (const kind of SUMMARY_KINDS) assert(text.includes(`\`${kind}\``), kind);
});
