// The program's entry: words in, exit code out.
import { runProcess } from "./src/cli/real_io.ts";

Deno.exit(await runProcess(Deno.args));
