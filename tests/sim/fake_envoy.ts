// Programs that look like Envoy from outside, for the tests of starting and stopping it. Each is a
// shell script in a folder of its own; the ready one runs this file.

/** Writes an executable shell script. @returns its path; the folder goes with `dispose`. */
export async function shellProgram(body: string): Promise<{ path: string } & AsyncDisposable> {
  const dir = await Deno.makeTempDir({ prefix: "fake-envoy-" });
  const path = `${dir}/envoy`;
  await Deno.writeTextFile(path, `#!/bin/sh\n${body}\n`);
  await Deno.chmod(path, 0o755);
  return { path, [Symbol.asyncDispose]: () => Deno.remove(dir, { recursive: true }) };
}

/** An Envoy that is ready at the third question and lists the listeners of its bootstrap. */
export function readyEnvoy(): Promise<{ path: string } & AsyncDisposable> {
  return shellProgram(`exec '${Deno.execPath()}' run -A '${import.meta.filename}' "$@"`);
}

/** The fake's bootstrap: names and ports it says it listens on. */
export type FakeBootstrap = Readonly<Record<string, number>>;

function main(args: string[]): void {
  const bootstrap: FakeBootstrap = JSON.parse(Deno.readTextFileSync(after(args, "-c")));
  let asked = 0;
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/ready") return new Response("", { status: ++asked < 3 ? 503 : 200 });
    const listener_statuses = Object.entries(bootstrap).map(([name, port_value]) => ({
      name,
      local_address: { socket_address: { address: "127.0.0.1", port_value } },
    }));
    return Response.json({ listener_statuses });
  });
  Deno.writeTextFileSync(after(args, "--admin-address-path"), `127.0.0.1:${server.addr.port}`);
}

function after(args: string[], name: string): string {
  const value = args[args.indexOf(name) + 1];
  if (value === undefined) throw new Error(`Cannot find the value of ${name}`);
  return value;
}

if (import.meta.main) main(Deno.args);
