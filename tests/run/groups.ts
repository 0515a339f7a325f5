// The groups of `deno task test`, in the order in which they run, as one table: which folders (or
// single files) of tests/ belong to which group and how long the group may take. A rule test checks
// that every test file belongs to a group; a new folder under tests/ needs a word here.

/** One group: a run of `deno test` of its own, after its steps. */
export interface Group {
  readonly name: string;
  /** What it proves, for people. */
  readonly about: string;
  /** Folders and files of tests/; a file named by one group leaves the folder of another. */
  readonly places: readonly string[];
  /** Commands of Deno that run first; each counts as one test. */
  readonly steps?: readonly Step[];
  /** The group is ended after this long and counts as failed. */
  readonly limitMinutes: number;
  /** Further words for `deno test`. */
  readonly flags?: readonly string[];
  /** Variables, where the environment of the run does not say otherwise. */
  readonly env?: Readonly<Record<string, string>>;
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
      { name: "format", args: ["fmt", "--check"] },
      { name: "lint", args: ["lint"] },
      { name: "types", args: ["check", "--quiet"] },
    ],
    places: [
      "rules",
      "std",
      "proto",
      "build",
      "bench",
      "check",
      "cli",
      "envoy",
      "process",
      "admin",
      "http1",
      "app",
      "deploy",
      "sim",
    ],
    limitMinutes: 8,
  },
  {
    name: "engine",
    about: "flights, lot, budget and verdicts on a fake clock; the seeded model",
    places: ["engine", "model"],
    limitMinutes: 2,
  },
  {
    name: "wire",
    about: "protobuf, HTTP/2, both gRPC transports behind their ports",
    places: ["wire", "h2", "grpcjs", "contract", "extproc", "controlplane"],
    limitMinutes: 8,
  },
  {
    name: "fuzz",
    about: "hostile input: what was kept, then half a minute of each target, four at a time",
    places: ["fuzz"],
    limitMinutes: 5,
    flags: ["--parallel"],
    env: { FUZZ_SECONDS: "30", DENO_JOBS: "4" },
  },
  {
    name: "e2e",
    about: "a real Envoy with what we print for it, and the whole router behind it",
    places: [
      "e2e",
      "xds",
      "deploy/envoy_test.ts",
      "deploy/schema_test.ts",
      "envoy/admin_test.ts",
      "envoy/ads_resources_test.ts",
      "envoy/boot_test.ts",
      "envoy/fail_closed_test.ts",
      "envoy/leave_test.ts",
      "envoy/tracing_test.ts",
      "envoy/validate_test.ts",
    ],
    limitMinutes: 25,
  },
  {
    name: "cases",
    about: "cases from public bug reports, named by their ids; three minutes of soak",
    places: ["cases", "soak"],
    limitMinutes: 15,
    flags: ["--v8-flags=--expose-gc"],
  },
  {
    name: "observability",
    about: "metrics, traces and logs, read by those who will read them",
    places: ["telemetry"],
    limitMinutes: 6,
  },
  {
    name: "binary",
    about: "the compiled program in a bare root, and with a real Envoy",
    places: ["binary"],
    limitMinutes: 6,
  },
];

/**
 * All groups together take less than 40 minutes on two quiet cores. The limits end what hangs: a
 * machine that is busy with other things may take this long.
 */
export const TOTAL_LIMIT_MINUTES = 75;

/** Does a place hold this file? */
function holds(place: string, path: string): boolean {
  return path === `tests/${place}` || path.startsWith(`tests/${place}/`);
}

/** The group a test file belongs to, by its path from the root: the closest place decides. */
export function groupOf(path: string, groups: readonly Group[] = GROUPS): string | undefined {
  const rows = groups.flatMap(({ name, places }) => places.map((place) => ({ name, place })));
  const near = rows.filter(({ place }) => holds(place, path));
  return near.sort((a, b) => b.place.length - a.place.length)[0]?.name;
}
