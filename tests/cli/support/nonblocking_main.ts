// The program with a small stdout that does not block, as a parent may leave it (Node does): what does
// not fit into the pipe is refused. Linux only. Everything else is the program as it ships.
import { runProcess } from "../../../src/cli/real_io.ts";

const F_GETFL = 3;
const F_SETFL = 4;
const F_SETPIPE_SZ = 1031;
const O_NONBLOCK = 0o4000;
const PIPE_BYTES = 4_096;
const STDOUT = 1;

const libc = Deno.dlopen("libc.so.6", {
  fcntl: { parameters: ["i32", "i32", "i32"], result: "i32" },
});
const { fcntl } = libc.symbols;
const flags = fcntl(STDOUT, F_GETFL, 0);
if (fcntl(STDOUT, F_SETPIPE_SZ, PIPE_BYTES) < 0 || fcntl(STDOUT, F_SETFL, flags | O_NONBLOCK) < 0) {
  throw new Error("Cannot set up as pipe: stdout");
}

Deno.exit(await runProcess(Deno.args));
