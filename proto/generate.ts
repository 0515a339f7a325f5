// Turns proto/**/*.proto into src/gen: `deno task gen [outDir]`. Needs only the package registry:
// buf and protoc-gen-es come as npm packages with their binaries. Owner: proto/.
import { fileURLToPath } from "node:url";

// The generator has the version of the `@bufbuild/protobuf` that runs its output (deno.json).
const BUF = "npm:@bufbuild/buf@1.75.0";
const PROTOC_GEN_ES = "npm:@bufbuild/protoc-gen-es@2.17.0";

/** Runs buf in this folder. @throws {Error} when it fails; its own words are on stderr. */
async function buf(args: string[]): Promise<void> {
  const { success, code } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", "--no-lock", BUF, ...args],
    cwd: fileURLToPath(new URL(".", import.meta.url)),
  }).output();
  if (!success) throw new Error(`Cannot run buf ${args[0]}: exit code ${code}`);
}

/** What buf is told to do; inline, so that the plugin runs on this very Deno. */
function template(outDir: string): string {
  return JSON.stringify({
    version: "v2",
    clean: true,
    plugins: [{
      local: [Deno.execPath(), "run", "-A", "--quiet", "--no-lock", PROTOC_GEN_ES],
      out: outDir,
      opt: ["target=ts", "import_extension=ts"],
      include_imports: false,
    }],
  });
}

if (import.meta.main) {
  const outDir = Deno.args[0] ?? fileURLToPath(new URL("../src/gen", import.meta.url));
  await buf(["generate", "--template", template(outDir)]);
}
