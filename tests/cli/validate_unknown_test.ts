// `validate` of manifests whose values are known only in the cluster: templates, variables, Secrets,
// config files from elsewhere. What is not known is said, and no rule is held against it.
import { assertEquals } from "@std/assert";
import { stringify } from "yaml";
import { GOOD } from "../check/manifest_fixture.ts";
import { printed } from "../check/envoy_fixture.ts";
import { call, headlines, type World } from "./fake_io.ts";

const ENVOY = stringify(printed({ parkedRequestMax: 2048 }));

/** A world with an Envoy configuration and the files a test names. */
function world(more: World = {}): World {
  return { ...more, files: { "envoy.yaml": ENVOY, ...more.files } };
}

Deno.test("what is known only in the cluster is left out and reported", async () => {
  const rows: readonly [args: string[], headline: string][] = [
    [["--drain-delay=$(DELAY)"], "--drain-delay=$(DELAY) is not checked"],
    [["--drain-delay", "$(DELAY)"], "--drain-delay=$(DELAY) is not checked"],
    [["--drain-delay={{ .Values.delay }}"], "--drain-delay={{ .Values.delay }} is not checked"],
    [["{{ .Values.extra }}"], "args={{ .Values.extra }} is not checked"],
    [["--{{ .Values.flag }}=5"], "args=--{{ .Values.flag }}=5 is not checked"],
    [["--config=$(FILE)"], "--config=$(FILE) is not checked"],
    [["--drain-complete-file=$(FILE)"], "--drain-complete-file=$(FILE) is not checked"],
  ];
  for (const [args, headline] of rows) {
    const words = args.map((word) => `            - ${JSON.stringify(word)}\n`).join("");
    const files = { "open.yaml": GOOD.replace("          env:\n", `${words}          env:\n`) };
    const { code, stdout } = await call(
      ["validate", "--manifest=open.yaml", "--envoy-config=envoy.yaml"],
      world({ files }),
    );
    assertEquals([code, headlines(stdout).map((line) => line.replace(/^\S+ /, ""))], [0, [
      headline,
    ]]);
  }
});

Deno.test("what rests on something that is known only in the cluster is no error", async () => {
  const mtls = GOOD.replace("            - --ateapi-auth=insecure\n", "");
  const env = "          env:\n";
  const rows: readonly [what: string, text: string, headlines: string[]][] = [
    [
      "a lot from a template",
      GOOD.replace('"2048"', "{{ .Values.max }}").replace(
        env,
        `            - --extproc-max-requests=2\n${env}`,
      ),
      ["--parked-request-max={{ .Values.max }} is not checked"],
    ],
    [
      "files from a Secret",
      mtls.replace(env, `          envFrom:\n            - secretRef: {name: tls}\n${env}`),
      ["envFrom=tls is not checked"],
    ],
    [
      "a config file from nowhere",
      mtls.replace(
        "            - serve\n",
        "            - serve\n            - --config=/c.yaml\n",
      ),
      ["--config=/c.yaml is not checked"],
    ],
    [
      "a shell",
      mtls.replace("          args:\n", "          command: [sh, -c]\n          args:\n"),
      ["command=sh is not checked"],
    ],
    ["nothing unknown", mtls, [
      "--ateapi-auth=mtls needs --ateapi-ca-file and --ateapi-client-cert",
    ]],
  ];
  for (const [what, text, expected] of rows) {
    const files = { "open.yaml": text };
    const args = ["validate", "--manifest=open.yaml", "--envoy-config=envoy.yaml"];
    const { stdout } = await call(args, world({ files }));
    const found = headlines(stdout).map((line) =>
      line.replace(/^open.yaml:\d+ /, "")
        .replace(" (default)", "")
    );
    assertEquals(found, expected, what);
  }
});

Deno.test("a path that is known only in the cluster still is one", async () => {
  const jwt = GOOD.replace("--ateapi-auth=insecure", "--ateapi-auth=jwt").replace(
    "            - --parked-request-max\n",
    "            - --ateapi-token-file=$(TOKEN)\n            - --parked-request-max\n",
  ).replace(
    "          env:\n",
    '          env:\n            - {name: ATENET_ATEAPI_CA_FILE, value: "{{ .Values.ca }}"}\n',
  );
  const { code, stdout } = await call(
    ["validate", "--manifest=jwt.yaml", "--envoy-config=envoy.yaml"],
    world({ files: { "jwt.yaml": jwt } }),
  );
  assertEquals([code, headlines(stdout)], [0, [
    "jwt.yaml:15 --ateapi-token-file=$(TOKEN) is not checked",
    "jwt.yaml:19 ATENET_ATEAPI_CA_FILE={{ .Values.ca }} is not checked",
  ]]);
});

Deno.test("what a Secret puts over a ConfigMap is not known, whatever the ConfigMap says", async () => {
  const env = "          env:\n";
  const pod = GOOD.replace(
    env,
    `          envFrom: [{configMapRef: {name: s}}]\n${env}            - name: ATENET_DRAIN_DELAY\n` +
      "              valueFrom: {secretKeyRef: {name: t, key: x}}\n",
  );
  const map = "---\nkind: ConfigMap\nmetadata: {name: s}\ndata: {ATENET_DRAIN_DELAY: 1h}\n";
  const { code, stdout } = await call(
    ["validate", "--manifest=pod.yaml", "--envoy-config=envoy.yaml"],
    world({ files: { "pod.yaml": pod + map } }),
  );
  assertEquals([code, headlines(stdout)], [0, [
    "pod.yaml:19 ATENET_DRAIN_DELAY=valueFrom is not checked",
  ]]);
});
