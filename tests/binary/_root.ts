// A root folder as a container has it: the binary, the libraries of a distroless/cc image, a few
// files under etc, and nothing else. What runs in it is uid 65534, without HOME or other variables,
// in another folder than the binary's, and cannot write anywhere.
import { type Binary, binary } from "./_binary.ts";
import { collectEntries } from "./_entries.ts";

/** What the base image brings: glibc and the runtime library of GCC. */
const LIBRARIES = new Set([
  "ld-linux-x86-64.so.2",
  "ld-linux-aarch64.so.1",
  "libc.so.6",
  "libm.so.6",
  "libdl.so.2",
  "libpthread.so.0",
  "librt.so.1",
  "libgcc_s.so.1",
]);

/** Files every image has. */
const FILES: Readonly<Record<string, string>> = {
  "etc/passwd": "nobody:x:65534:65534:nobody:/nonexistent:/sbin/nologin\n",
  "etc/group": "nobody:x:65534:\n",
  "etc/nsswitch.conf": "hosts: files dns\n",
  "etc/hosts": "127.0.0.1 localhost\n::1 localhost\n127.0.0.1 api.test\n",
};

const USER = "65534";
const ELSEWHERE = "/elsewhere";

/** How to get in: with a mount of /proc and the root read-only, or without. */
type Entry = "root" | "user namespace" | "chroot";

/** Mounts what a container runtime mounts, then enters. $1 = the root; the rest is the command. */
const MOUNTS = 'set -e; r=$1; shift; mount --bind "$r" "$r"; mount --rbind /proc "$r/proc"; ' +
  'mount -o remount,bind,ro "$r"; exec env -i "$@"';

/** Words that run a command inside, in front of that command. */
function entryWords(entry: Entry, root: string, env: readonly string[]): string[] {
  const inside = [`--root=${root}`, `--wd=${ELSEWHERE}`];
  const asUser = [`--setgid=${USER}`, `--setuid=${USER}`];
  const mapped = ["--user", `--map-user=${USER}`, `--map-group=${USER}`];
  const mount = ["sh", "-c", MOUNTS, "enter", root, ...env, "unshare"];
  switch (entry) {
    case "root":
      return ["unshare", "--mount", "--propagation=private", ...mount, ...asUser, ...inside];
    case "user namespace":
      return ["unshare", "--user", "--map-root-user", "--mount", ...mount, ...mapped, ...inside];
    case "chroot":
      return ["env", "-i", ...env, "unshare", ...asUser, ...inside];
  }
}

/** The libraries a binary is linked to, by path. @throws {Error} for one the base image lacks. */
async function librariesOf(binary: string): Promise<string[]> {
  const { stdout } = await new Deno.Command("ldd", { args: [binary] }).output();
  const paths = new TextDecoder().decode(stdout).match(/\/\S+\.so\S*/g) ?? [];
  const odd = paths.filter((path) => !LIBRARIES.has(path.split("/").at(-1) ?? ""));
  if (odd.length > 0) throw new Error(`Cannot run in the base image: it lacks ${odd.join(", ")}`);
  return paths;
}

async function put(path: string, content: string | Uint8Array): Promise<void> {
  await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  if (typeof content === "string") await Deno.writeTextFile(path, content);
  else await Deno.writeFile(path, content);
}

/** The root folder. Dispose of it. */
export class ContainerRoot implements AsyncDisposable {
  /** Where it lies outside. */
  readonly path: string;
  readonly #home: string;
  readonly #entry: Entry;
  readonly #before: ReadonlyMap<string, string>;
  #scripts = 0;

  private constructor(home: string, path: string, entry: Entry, before: Map<string, string>) {
    this.#home = home;
    this.path = path;
    this.#entry = entry;
    this.#before = before;
  }

  /**
   * Makes it.
   * @param files beside those every image has, by path inside.
   */
  static async make(
    binary: string,
    files: Readonly<Record<string, string>> = {},
  ): Promise<ContainerRoot> {
    const home = await Deno.makeTempDir({ prefix: "atenet-root-" });
    await Deno.chmod(home, 0o755);
    const path = `${home}/root`;
    for (const library of await librariesOf(binary)) {
      await put(`${path}${library}`, await Deno.readFile(library));
      await Deno.chmod(`${path}${library}`, 0o555);
    }
    for (const [name, text] of Object.entries({ ...FILES, ...files })) {
      await put(`${path}/${name}`, text);
    }
    await Deno.copyFile(binary, `${path}/atenet-router`);
    await Deno.chmod(`${path}/atenet-router`, 0o555);
    await Deno.mkdir(`${path}${ELSEWHERE}`);
    await Deno.mkdir(`${path}/proc`);
    const entry = await chooseEntry(path);
    return new ContainerRoot(home, path, entry, await collectEntries(path));
  }

  /** An executable outside that runs the binary inside; `env` is its whole environment. */
  async command(env: Readonly<Record<string, string>> = {}): Promise<string> {
    const script = `${this.#home}/enter-${this.#scripts++}`;
    const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const words = [...entryWords(this.#entry, this.path, variables), "/atenet-router"];
    const quoted = words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
    await Deno.writeTextFile(script, `#!/bin/sh\nexec ${quoted} "$@"\n`, { mode: 0o755 });
    return script;
  }

  /** Paths inside that are new, gone or different. */
  async changes(): Promise<string[]> {
    const after = await collectEntries(this.path);
    const paths = new Set([...this.#before.keys(), ...after.keys()]);
    return [...paths].filter((path) => this.#before.get(path) !== after.get(path));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Deno.remove(this.#home, { recursive: true });
  }
}

/** The first way in that works here. @throws {Error} when none does. */
async function chooseEntry(root: string): Promise<Entry> {
  const isRoot = Deno.uid() === 0;
  for (const entry of isRoot ? ["root" as const, "chroot" as const] : ["user namespace" as const]) {
    // Without /proc a compiled program cannot find itself: a link says where it is.
    if (entry === "chroot") {
      await Deno.mkdir(`${root}/proc/self`);
      await Deno.symlink("/atenet-router", `${root}/proc/self/exe`);
    }
    const [program = "", ...args] = [...entryWords(entry, root, []), "/atenet-router", "--version"];
    const { success } = await new Deno.Command(program, { args, stdin: "null" }).output();
    if (success) return entry;
  }
  throw new Error(
    "Cannot enter a root folder: neither mount, user namespace nor chroot works here",
  );
}

/** Why no root folder can be entered here; undefined = one can. */
async function noWayIn(): Promise<string | undefined> {
  if (Deno.build.os !== "linux") return `there is no unshare on ${Deno.build.os}`;
  if (Deno.uid() === 0) return undefined;
  const args = ["--user", "--map-root-user", "--mount", "true"];
  try {
    const { success } = await new Deno.Command("unshare", { args, stderr: "null" }).output();
    return success ? undefined : "neither root nor user namespaces";
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "there is no unshare";
    throw error;
  }
}

const problem = binary === undefined ? undefined : await noWayIn();
if (problem !== undefined) console.log(`skipped, no bare root: ${problem}`);

/** A test that takes the binary into a root of its own. */
export function rootTest(name: string, body: (binary: Binary) => Promise<void>): void {
  Deno.test({
    name,
    ignore: binary === undefined || problem !== undefined,
    fn: () => body(binary as Binary),
  });
}
