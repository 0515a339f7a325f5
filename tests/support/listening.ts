// What case B51 asks of the program, from its source or as a binary: an address that is taken, and
// every form an address has.
import { assertEquals, assertLess, assertStringIncludes } from "@std/assert";
import { isFreePort } from "../../src/sim/free_port.ts";
import { choosePort, RouterProcess, runProgram } from "./router_process.ts";

/** Wanted: 2 s from the start to the exit. Asserted generously: the machines of tests are busy. */
const REFUSED_MS_MAX = 6_000;
const INSECURE = ["--ateapi-auth=insecure", "--ateapi-address=127.0.0.1:1"];

/** Flags of the four listeners on ports of their own. */
function listeners(): Map<string, string> {
  return new Map([
    ["--port-extproc", String(choosePort())],
    ["--port-xds", String(choosePort())],
    ["--status-port", String(choosePort())],
    ["--metrics-listen-addr", `127.0.0.1:${choosePort()}`],
  ]);
}

function portOf(value: string | undefined): number {
  return Number(value?.split(":").at(-1));
}

/**
 * Each of the four ports taken in turn: exit 1, the address named, no other port left open.
 * @param main what is started, when it is not the program's own source.
 */
export async function assertTakenPortsEndTheStart(main?: string): Promise<void> {
  for (const taken of listeners().keys()) {
    const flags = listeners();
    using other = Deno.listen({ hostname: "127.0.0.1", port: portOf(flags.get(taken)) });
    const startMs = performance.now();
    const { code, stdout, stderr } = await runProgram([
      "serve",
      ...INSECURE,
      "--status-address=127.0.0.1",
      ...[...flags].map(([flag, value]) => `${flag}=${value}`),
    ], main);
    const tookMs = performance.now() - startMs;
    assertEquals(code, 1, `${taken} ${stdout}${stderr}`);
    assertStringIncludes(stdout, `127.0.0.1:${other.addr.port}`);
    assertEquals(stdout.includes('"msg":"ready"'), false);
    assertLess(tookMs, REFUSED_MS_MAX, taken);
    const open = [...flags].filter(([flag]) => flag !== taken)
      .filter(([, value]) => !isFreePort("127.0.0.1", portOf(value)));
    assertEquals(open, [], taken);
  }
}

/** Every form of an address binds, and ready means all of them. */
export async function assertEveryAddressBinds(main?: string): Promise<void> {
  const rows: readonly [flag: string, host: string][] = [
    ["127.0.0.1", "127.0.0.1"],
    ["0.0.0.0", "127.0.0.1"],
    ["::1", "::1"],
    ["[::1]", "::1"],
    ["::", "::1"],
    ["[::]", "127.0.0.1"],
  ];
  // Together, since each waits two seconds for a control plane that is not there.
  await Promise.all(rows.map(([address, host]) => bindsAndStops(address, host, main)));
}

async function bindsAndStops(address: string, host: string, main?: string): Promise<void> {
  const flags = [
    ...INSECURE,
    `--extproc-address=${address}`,
    `--status-address=${address}`,
    "--drain-delay=0s",
    "--envoy-admin-address=",
  ];
  await using router = await RouterProcess.start(flags, 0, {}, main);
  {
    using _extproc = await Deno.connect({ hostname: host, port: router.extprocPort });
    using _status = await Deno.connect({ hostname: host, port: router.statusPort });
  }
  router.signal("SIGTERM");
  assertEquals(await router.exit, 0, address);
}
