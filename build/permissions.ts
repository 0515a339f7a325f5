// What the binary is allowed to do, baked in when it is compiled: one row per permission, with the
// reason. docs/binary.md shows the same rows; a test holds it to them.

export interface Permission {
  readonly flag: string;
  /** For people. */
  readonly why: string;
}

/** Variables the program reads; the rest of the environment does not exist for it. */
export const VARIABLES: readonly string[] = [
  // Flags, and what they look like.
  "ATENET_*",
  "NO_COLOR",
  "TERM",
  // Telemetry.
  "OTEL_*",
  // Where the demonstration looks for Envoy.
  "ENVOY_BIN",
  "PATH",
];

export const PERMISSIONS: readonly Permission[] = [
  { flag: "--no-prompt", why: "never asks anybody; what is not allowed fails" },
  {
    flag: "--allow-net",
    why: "listens on and connects to the addresses that flags name; none is known beforehand",
  },
  {
    flag: "--allow-read",
    why: "certificates, keys, token, configuration and manifests lie where flags say",
  },
  {
    flag: "--allow-write",
    why: "the drain-complete file lies where a flag says; given up at the start when there is none",
  },
  { flag: "--allow-sys=hostname", why: "the status page names its host" },
  {
    flag: "--allow-run",
    why: "`serve --demo` starts an Envoy; every other command gives this up before anything else",
  },
  {
    flag: `--allow-env=${VARIABLES.join(",")}`,
    why: "flags, colours, telemetry, and where the demonstration looks for Envoy",
  },
  { flag: "--ignore-env", why: "every other variable is as if it were not set" },
];

/** As `deno compile` takes them. */
export function permissionFlags(): string[] {
  return PERMISSIONS.map(({ flag }) => flag);
}
