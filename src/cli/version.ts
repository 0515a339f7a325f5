// Version and commit of this build. A test holds the version to deno.json; the release build writes
// the commit.
export const VERSION = "0.1.0";
export const COMMIT = "dev";

/** What was built, and on what it runs. */
export interface Build {
  readonly version: string;
  /** Short commit, or `dev`. */
  readonly commit: string;
  /** `deno 2.9.3`. */
  readonly runtime: string;
}

/** The answer to `--version`. */
export function versionLine({ version, commit, runtime }: Build): string {
  return `atenet-router ${version} (${commit}) ${runtime}`;
}
