// What one call of the program will not need it gives up before it does anything else: nothing but
// `serve --demo` starts programs, and nothing but `serve` writes files. The binary is compiled with
// the permissions of all its calls; `deno run -A` with all there are. Used by real_io.ts.

/** Gives up a permission for good: `Deno.permissions.revokeSync`. */
export type Revoke = (permission: { readonly name: "run" | "write" }) => unknown;

function systemRevoke(permission: Parameters<Revoke>[0]): unknown {
  return Deno.permissions.revokeSync(permission);
}

/** Before any word is understood. `args` are the words behind the program's name. */
export function giveUpAtStart(args: readonly string[], revoke: Revoke = systemRevoke): void {
  const serves = args.includes("serve");
  const demonstrates = serves && args.some((word) => /^--demo(=|$)/.test(word));
  if (!demonstrates) revoke({ name: "run" });
  if (!serves) revoke({ name: "write" });
}

/** Before the router starts: the drain-complete file is all it ever writes. */
export function giveUpAtServe(drainCompleteFile: string, revoke: Revoke = systemRevoke): void {
  if (drainCompleteFile === "") revoke({ name: "write" });
}
