// The ONE table: every flag that sets something, in the order of help and docs. A test holds it to
// the settings: each field has exactly one flag, its name follows from the field's.
import { CONTROL_PLANE_FLAGS } from "./control_plane.ts";
import { ENVOY_FLAGS } from "./envoy.ts";
import { LISTENING_FLAGS } from "./listening.ts";
import { OTHER_FLAGS } from "./other.ts";
import { PARKING_FLAGS } from "./parking.ts";
import { SHUTDOWN_FLAGS } from "./shutdown.ts";
import type { Flag, SettingFlag } from "./spec.ts";

export const SETTING_FLAGS: readonly SettingFlag[] = [
  ...PARKING_FLAGS,
  ...SHUTDOWN_FLAGS,
  ...LISTENING_FLAGS,
  ...CONTROL_PLANE_FLAGS,
  ...ENVOY_FLAGS,
  ...OTHER_FLAGS,
];

/** Names the file that holds settings; also from the environment, never from the file. */
export const CONFIG_FLAG: Flag = {
  name: "config",
  form: { kind: "path" },
  help: "YAML or JSON file with values for these flags",
  more: "Keys are the flags' names without dashes in front. Unknown keys are refused.",
};

/** Asked of any command. */
export const HELP_FLAG: Flag = {
  name: "help",
  form: { kind: "boolean" },
  help: "this text",
};
