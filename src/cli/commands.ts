// The table of commands: what the first screen, each command's help, completion and main read.
import type { Command } from "./command.ts";
import { COMPLETION_COMMAND } from "./completion.ts";
import { ENVOY_COMMAND } from "./envoy.ts";
import { SERVE_COMMAND } from "./serve.ts";
import { STATUS_COMMAND } from "./status.ts";
import { VALIDATE_COMMAND } from "./validate.ts";

export const COMMANDS: readonly Command[] = [
  SERVE_COMMAND,
  VALIDATE_COMMAND,
  STATUS_COMMAND,
  ENVOY_COMMAND,
  COMPLETION_COMMAND,
];
