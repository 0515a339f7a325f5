// Every object of deploy/base against the schemas of Kubernetes, offline. Skipped where Go or the
// module cannot be had, and says so.
import { assertEquals } from "@std/assert";
import { goInstall } from "../h2/_go.ts";
import { BASE, objectFiles, tool } from "./_base.ts";

const MODULE = "sigs.k8s.io/kubectl-validate@v0.0.4";
/** The oldest release with native sidecars switched on, and the newest schema of the module. */
const RELEASES = ["1.29", "1.30"];

const program = await goInstall("kubectl-validate", MODULE);

Deno.test({
  name: "the Kubernetes schemas accept every object of the base",
  ignore: program === undefined,
  fn: async () => {
    for (const release of RELEASES) {
      const files = objectFiles().map((file) => `${BASE}/${file}`);
      const checked = await tool(program ?? "", ["--version", release, ...files]);
      assertEquals(checked?.code, 0, `${release}: ${checked?.stdout}${checked?.stderr}`);
    }
  },
});

Deno.test({
  name: "the Kubernetes schemas refuse a field that does not exist",
  ignore: program === undefined,
  fn: async () => {
    const dir = await Deno.makeTempDir({ prefix: "atenet-deploy-" });
    try {
      const file = `${dir}/deployment.yaml`;
      const source = await Deno.readTextFile(`${BASE}/deployment.yaml`);
      await Deno.writeTextFile(file, source.replace("replicas: 2", "replica: 2"));
      const checked = await tool(program ?? "", ["--version", RELEASES[0] ?? "", file]);
      assertEquals(checked?.code, 1, checked?.stdout);
    } finally {
      await Deno.remove(dir, { recursive: true });
    }
  },
});
