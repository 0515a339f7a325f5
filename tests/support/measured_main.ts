// The real program with instruments: on SIGUSR2 it collects garbage and writes one line of JSON about
// its inside to stderr. Everything else is the program as it ships. Started by measured_router.ts.
import "./instruments.ts";
import { runProcess } from "../../src/cli/real_io.ts";

Deno.exit(await runProcess(Deno.args));
