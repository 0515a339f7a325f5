// The stub of the test binary: cut out exactly, taken by its digest only, from whichever source works.
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import type { Run } from "../../build/commit.ts";
import { cutStub, sha256 } from "../../build/denort.ts";
import { targetOf } from "../../build/targets.ts";
import { testBinary } from "../../build/test_binary.ts";
import { type Source, TEST_STUB, testStub, Unavailable } from "../../build/test_stub.ts";

const STUB = new TextEncoder().encode("this is the stub");

/** A compiled program: stub, embedded bytes, trailer. */
function compiled(stub: Uint8Array, embedded: number, magic = 0x501e): Uint8Array<ArrayBuffer> {
  const program = new Uint8Array(stub.length + embedded + 16);
  program.set(stub);
  const trailer = new DataView(program.buffer, stub.length + embedded);
  trailer.setUint32(0, magic, true);
  trailer.setUint32(4, 0xdead, true);
  trailer.setBigUint64(8, BigInt(embedded), true);
  return program;
}

Deno.test("the stub is what stands before what was embedded", () => {
  for (const embedded of [0, 1, 1_000]) assertEquals(cutStub(compiled(STUB, embedded)), STUB);
  const inside = new Uint8Array(100);
  inside.set(compiled(STUB, 7), 20);
  assertEquals(cutStub(inside.subarray(20, 20 + STUB.length + 7 + 16)), STUB);
});

Deno.test("what does not end like a compiled program is refused", () => {
  const tooLong = compiled(STUB, 4);
  new DataView(tooLong.buffer, tooLong.length - 16).setBigUint64(8, 2n ** 60n, true);
  for (const bytes of [new Uint8Array(), STUB, compiled(STUB, 4, 0x1234), tooLong]) {
    assertThrows(() => cutStub(bytes), TypeError, "Cannot read as a compiled program");
  }
});

Deno.test("SHA-256 in hex", async () => {
  const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
  assertEquals(await sha256(new Uint8Array()), empty);
});

/** A source whose command leaves a program in the folder. */
function source(name: string, program: Uint8Array | "fails"): Source {
  return {
    name,
    commands: (dir) => [["fetch", name, dir]],
    program: program === "fails" ? "nothing" : "program",
  };
}

interface Cache extends AsyncDisposable {
  readonly cacheDir: string;
  readonly asked: string[];
  readonly run: Run;
}

/** A cache folder and commands that leave these programs. */
async function cacheWith(programs: Readonly<Record<string, Uint8Array | "fails">>): Promise<Cache> {
  const cacheDir = await Deno.makeTempDir();
  const asked: string[] = [];
  return {
    cacheDir,
    asked,
    run: async (_program, [name = "", dir]) => {
      asked.push(name);
      const program = programs[name];
      if (program === undefined || program === "fails") return { success: false, output: "" };
      await Deno.writeFile(`${dir}/program`, program);
      return { success: true, output: "" };
    },
    [Symbol.asyncDispose]: () => Deno.remove(cacheDir, { recursive: true }),
  };
}

Deno.test("the first source that gives the stub counts, and is asked once", async () => {
  const programs = { a: "fails", b: compiled(STUB, 9), c: compiled(STUB, 9) } as const;
  const sources = Object.entries(programs).map(([name, program]) => source(name, program));
  await using cache = await cacheWith(programs);
  const io = { ...cache, sources, digest: await sha256(STUB) };
  const path = await testStub(io);
  assertEquals(await Deno.readFile(path), STUB);
  assertEquals(((await Deno.stat(path)).mode ?? 0) & 0o111, 0o111);
  assertEquals(await testStub(io), path);
  assertEquals(cache.asked, ["a", "b"]);
  await Deno.writeFile(path, STUB.slice(1));
  await testStub(io);
  assertEquals(cache.asked, ["a", "b", "a", "b"], "what is kept is checked again");
  assertEquals([...Deno.readDirSync(cache.cacheDir)].map(({ name }) => name), [
    `denort-${TEST_STUB.runtime}`,
  ]);
});

Deno.test("another stub is refused, every reason is said and nothing is kept", async () => {
  const programs = { a: compiled(STUB, 9), b: new Uint8Array(4), c: "fails" } as const;
  const sources = Object.entries(programs).map(([name, program]) => source(name, program));
  await using cache = await cacheWith(programs);
  const error = await assertRejects(
    () => testStub({ ...cache, sources }),
    Unavailable,
    "Cannot fetch the stub of the test binary",
  );
  const { message } = error as Error;
  for (const part of ["a: its SHA-256 is ", "b: Cannot read as", "c: fetch c failed"]) {
    assertEquals(message.includes(part), true, message);
  }
  assertEquals([...Deno.readDirSync(cache.cacheDir)], []);
});

Deno.test("there is no test binary for another machine than that of the stub", async () => {
  const arm = targetOf("aarch64-unknown-linux-gnu");
  await assertRejects(() => testBinary("/nowhere", arm), Unavailable, "linux-arm64");
});
