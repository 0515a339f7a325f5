// Problems and notices on stderr, in colour where somebody looks. Used by commands that find some.
import type { Notice } from "../check/checking.ts";
import type { Problem } from "../check/settings.ts";
import type { CliIo } from "./io.ts";
import { noticeText, problemText, wantsColour } from "./report_text.ts";

/** Writes the problems, then the notices. */
export function complain(
  problems: readonly Problem[],
  io: Pick<CliIo, "stderr" | "env">,
  notices: readonly Notice[] = [],
): void {
  const colour = wantsColour(io.stderr.isTerminal, io.env);
  for (const problem of problems) io.stderr.write(problemText(problem, colour));
  for (const notice of notices) io.stderr.write(noticeText(notice, colour));
}
