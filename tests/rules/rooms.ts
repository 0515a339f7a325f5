// The import rules of docs/design.md as data: who may import whom. What is not listed fails.
// A room is a folder of src/; src/app.ts and main.ts are rooms of their own.
import type { Import } from "./imports.ts";

/** May a room import another one's values, or its types only? */
type Reach = "values" | "types";

/** What one room may import besides itself. */
export interface Room {
  /** Other rooms, entered through any of their files (engine: through mod.ts only). */
  readonly rooms?: Readonly<Record<string, Reach>>;
  /** Single files of rooms that are otherwise closed. */
  readonly files?: Readonly<Record<string, Reach>>;
  /** Packages by their name in deno.json, or `node:` modules. `*` at the end matches the rest. */
  readonly packages?: readonly string[];
}

/** The file through which the engine is entered. */
export const ENGINE_DOOR = "src/engine/mod.ts";
const SETTINGS = "src/check/settings.ts";
const SERVER_PORT = "src/extproc/port.ts";
const DIAL = "src/h2/grpc/types.ts";
const STATUS_DOCUMENT = "src/admin/snapshot.ts";
const STATUS_SOURCES = "src/admin/sources.ts";
const PROTOBUF = ["@bufbuild/protobuf", "@bufbuild/protobuf/*"];

export const ROOMS: Readonly<Record<string, Room>> = {
  engine: {},
  wire: {},
  // TLS with a client certificate has no other way (src/h2/tls_socket.ts).
  h2: { packages: ["node:net", "node:tls"] },
  gen: { packages: PROTOBUF },
  extproc: { rooms: { engine: "values", wire: "values", h2: "values" } },
  // Certificates and keys are checked before a TLS library sees them.
  controlplane: {
    rooms: { engine: "values", wire: "values", h2: "values" },
    packages: ["node:crypto"],
  },
  grpcjs: {
    rooms: { engine: "values" },
    files: { [SERVER_PORT]: "types", [DIAL]: "types" },
    // The library takes Buffers, and leaves certificates for an address to its user.
    packages: ["@grpc/grpc-js", "node:buffer", "node:crypto"],
  },
  envoy: {
    rooms: { gen: "values", h2: "values", engine: "values" },
    files: { [SETTINGS]: "types" },
    packages: [...PROTOBUF, "yaml"],
  },
  http1: { rooms: { engine: "types" } },
  telemetry: {
    rooms: { engine: "values", http1: "values" },
    // Its counts and history are what the status page asks for.
    files: { [STATUS_DOCUMENT]: "types", [STATUS_SOURCES]: "types" },
    packages: ["@opentelemetry/*"],
  },
  admin: { rooms: { engine: "values", http1: "values" }, files: { [SETTINGS]: "types" } },
  process: { rooms: { engine: "values" }, packages: ["node:dns/promises", "node:inspector"] },
  sim: {
    rooms: { engine: "types", gen: "values", h2: "values", grpcjs: "values" },
    // Its control plane is a gRPC server like any other.
    files: { [SERVER_PORT]: "types" },
    packages: PROTOBUF,
  },
  check: { rooms: { engine: "values", envoy: "values" }, packages: ["yaml"] },
  app: {
    rooms: {
      engine: "values",
      extproc: "values",
      controlplane: "values",
      grpcjs: "values",
      envoy: "values",
      telemetry: "values",
      admin: "values",
      process: "values",
      sim: "values",
      check: "values",
      h2: "values",
      wire: "values",
    },
    packages: ["node:process"],
  },
  cli: {
    rooms: { app: "values", check: "values", envoy: "values", engine: "values" },
    files: { [STATUS_DOCUMENT]: "types", "src/extproc/host.ts": "values" },
    packages: ["@std/cli", "@std/cli/*"],
  },
  main: { rooms: { cli: "values" } },
};

/** The room a file belongs to; its top folder when it is outside src. */
export function roomOf(path: string): string {
  const [top = "", second = ""] = path.split("/");
  const room = top === "src" ? second : top;
  return room.replace(/\.ts$/, "");
}

function packageAllowed(room: Room, specifier: string): boolean {
  return (room.packages ?? []).some((name) =>
    name.endsWith("*") ? specifier.startsWith(name.slice(0, -1)) : specifier === name
  );
}

/** What is wrong with an import of our source; undefined when it is allowed. */
export function problemOf(
  one: Import,
  rooms: Readonly<Record<string, Room>> = ROOMS,
): string | undefined {
  const home = roomOf(one.file);
  const room = rooms[home];
  if (!room) return `${home} is no room of tests/rules/rooms.ts`;
  if (one.target === undefined) {
    return packageAllowed(room, one.specifier) ? undefined : `${home} may not use this package`;
  }
  const there = roomOf(one.target);
  if (there === home) return undefined;
  if (there === "engine" && one.target !== ENGINE_DOOR) {
    return `the engine's door is ${ENGINE_DOOR}`;
  }
  const reach = room.files?.[one.target] ?? room.rooms?.[there];
  if (reach === undefined) return `${home} may not import ${there}`;
  if (reach === "types" && !one.typeOnly) return `${home} may import types only from ${there}`;
  return undefined;
}
