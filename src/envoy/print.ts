// A bootstrap as text: YAML for people and Envoy's -c, JSON for programs.
// Owned by the Envoy room; called by the command line.
import { stringify } from "yaml";
import type { Bootstrap } from "./types.ts";

export type PrintFormat = "yaml" | "json";

/**
 * The bootstrap as text, ending with a line end.
 * Every string is quoted: Envoy reads a plain `y`, `on` or `1e3` as something else.
 */
export function printBootstrap(bootstrap: Bootstrap, format: PrintFormat): string {
  if (format === "json") return JSON.stringify(bootstrap, undefined, 2) + "\n";
  return stringify(bootstrap, {
    aliasDuplicateObjects: false,
    defaultKeyType: "PLAIN",
    defaultStringType: "QUOTE_DOUBLE",
    lineWidth: 0,
  });
}
