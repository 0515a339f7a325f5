// The groups of `deno task test`, in the order in which they run, as one table: which folders of
// tests/ belong to which group and how long the group may take. A rule test checks that every test
// file belongs to exactly one group; a new folder under tests/ needs a word here.

/** One group: a run of `deno test` of its own, after its steps. */
export interface Group {
  readonly name: string;
  /** What it proves, for people. */
  readonly about: string;
  /** Folders of tests/. */
  readonly folders: readonly string[];
  /** Commands of Deno that run first; each counts as one test. */
  readonly steps?: readonly Step[];
  /** The group is ended after this long and counts as failed. */
  readonly limitMinutes: number;
  /** Further words for `deno test`. */
  readonly flags?: readonly string[];
}

/** A command of Deno itself. */
export interface Step {
  readonly name: string;
  readonly args: readonly string[];
}

export const GROUPS: readonly Group[] = [
  {
    name: "ok",
    about: "format, lint, types, rules of the tree, unit tests of the edge",
    steps: [
      { name: "format", args: ["fmt", "--check", "--quiet"] },
      { name: "lint", args: ["lint", "--quiet"] },
      { name: "types", args: ["check", "--quiet"] },
    ],
    folders: [
      "rules",
      "std",
      "proto",
      "check",
      "cli",
      "envoy",
      "telemetry",
      "process",
      "admin",
      "sim",
      "golden",
    ],
    limitMinutes: 4,
  },
  {
    name: "engine",
    about: "flights, lot, budget and verdicts on a fake clock; the seeded model",
    folders: ["engine", "model"],
    limitMinutes: 4,
  },
  {
    name: "wire",
    about: "protobuf, HTTP/2, both gRPC transports behind their ports, hostile input",
    folders: ["wire", "h2", "grpcjs", "contract", "extproc", "controlplane", "fuzz"],
    limitMinutes: 8,
  },
  {
    name: "e2e",
    about: "the whole router behind a real Envoy",
    folders: ["e2e"],
    limitMinutes: 12,
  },
  {
    name: "cases",
    about: "cases from public bug reports, named by their ids",
    folders: ["cases"],
    limitMinutes: 12,
    flags: ["--v8-flags=--expose-gc"],
  },
];

/** All groups together must fit into this. */
export const TOTAL_LIMIT_MINUTES = 40;

/** The groups a test file belongs to, by path from the root; right is exactly one. */
export function groupsOf(path: string, groups: readonly Group[] = GROUPS): string[] {
  return groups.filter((group) =>
    group.folders.some((folder) => path.startsWith(`tests/${folder}/`))
  ).map((group) => group.name);
}
