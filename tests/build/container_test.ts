// The image and the release: one file on a base image, made for every target by the pinned Deno.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { parse } from "yaml";
import { TARGETS } from "../../build/targets.ts";

const KNOWN = ["ARG", "FROM", "COPY", "ENV", "USER", "EXPOSE", "ENTRYPOINT"];

function read(path: string): string {
  return Deno.readTextFileSync(new URL(`../../${path}`, import.meta.url));
}

/** Instruction and its words, without comments. */
function instructions(containerfile: string): [name: string, words: string][] {
  return containerfile.split("\n").filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const [, name = "", words = ""] = /^(\w+) (.*)$/.exec(line) ?? [];
      return [name, words];
    });
}

Deno.test("the image is a base and one file, run by nobody in particular", () => {
  const all = instructions(read("Containerfile"));
  const words = (name: string) => all.filter(([one]) => one === name).map(([, words]) => words);
  assertEquals(words("RUN"), [], "there is no shell to run anything");
  assertEquals(words("FROM"), ["${BASE_IMAGE}"]);
  assertEquals(words("COPY"), ["--chmod=0555 ${BINARY} /atenet-router"]);
  assertEquals(words("ENTRYPOINT"), ['["/atenet-router"]']);
  assertMatch(words("ARG").join(" "), /BASE_IMAGE=\S+ BINARY=dist\/atenet-router$/);
  const { spec } = parse(read("deploy/base/deployment.yaml"));
  const { runAsUser, runAsGroup } = spec.template.spec.securityContext;
  assertEquals(words("USER"), [`${runAsUser}:${runAsGroup}`], "as in the manifests");
  assertEquals(words("ENV"), ["DENO_TLS_CA_STORE=system", "DENO_USE_CGROUPS=1"]);
  const names = all.map(([name]) => name);
  assertEquals(new Set(names).difference(new Set(KNOWN)), new Set(), "nothing else happens");
});

Deno.test("the memory limit of the manifests leaves half of it beside the heap, and says so", () => {
  const { spec } = parse(read("deploy/base/deployment.yaml"));
  const { resources } = spec.template.spec.containers
    .find(({ name }: { name: string }) => name === "router");
  assertMatch(resources.limits.memory, /^\d+Mi$/);
  const limitMib = Number.parseInt(resources.limits.memory);
  // Half of it, and never less than 256: a limit below 512Mi could all be taken by the heap.
  assert(limitMib >= 2 * 256, resources.limits.memory);
  assert(read("docs/binary.md").includes(`${resources.limits.memory} of the manifests`));
});

Deno.test("only the binary is sent to who builds the image", () => {
  assertEquals(read(".dockerignore").trim().split("\n"), ["*", "!dist/atenet-router*"]);
});

Deno.test("a release has every target, each made and tried before anything is published", () => {
  const text = read(".github/workflows/release.yml");
  const { jobs } = parse(text);
  const matrix: { target: string; runner: string }[] = jobs.binary.strategy.matrix.include;
  assertEquals(matrix.map(({ target }) => target), TARGETS.map(({ name }) => name));
  for (const { target, runner } of matrix) {
    const system = target.startsWith("macos") ? /^macos-\d+/ : /^ubuntu-\d+/;
    assertMatch(runner, system, target);
  }
  for (const job of ["publish", "image"]) assertEquals(jobs[job].needs, "binary", job);
  assert(text.includes("deno@$(cat .deno-version)"));
  assertEquals(text.match(/deno@\d/g), null, "the pin stands in its file");
  for (const part of ["SHA256SUMS", "build/sbom.ts", "attest-build-provenance", "attest-sbom"]) {
    assert(text.includes(part), part);
  }
  assertEquals(text.includes("DENORT_BIN"), false, "a release uses the pinned Deno's own stub");
});

Deno.test("a job may write only what it publishes", () => {
  const { permissions, jobs } = parse(read(".github/workflows/release.yml"));
  assertEquals(permissions, { contents: "read" });
  assertEquals(jobs.binary.permissions, undefined);
});
