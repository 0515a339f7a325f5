// A manifest for rule tests: a pod that has everything right, with one thing changed.
import { parse, stringify } from "yaml";
import { checkFlags } from "../../src/check/flags.ts";
import { type Manifests, readManifests } from "../../src/check/manifest.ts";
import { checkPod } from "../../src/check/pod_rules.ts";
import type { Problem, Settings } from "../../src/check/settings.ts";
import type { Loose } from "./envoy_fixture.ts";
import { settingsOf } from "./settings_of.ts";

export const GOOD = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: atenet-router
spec:
  template:
    spec:
      terminationGracePeriodSeconds: 60
      containers:
        - name: atenet-router
          image: registry.example/atenet-router:0.1.0
          args:
            - serve
            - --ateapi-auth=insecure
            - --parked-request-max
            - "2048"
          env:
            - name: ATENET_PARKED_REQUEST_BUDGET
              value: 5s
          ports:
            - name: status
              containerPort: 4040
          readinessProbe:
            httpGet:
              path: /readyz
              port: status
          livenessProbe:
            httpGet:
              path: /healthz
              port: 4040
        - name: envoy
          image: envoyproxy/envoy:v1.40.0
          args: [-c, /etc/envoy/envoy.yaml]
          lifecycle:
            preStop:
              httpGet:
                path: /drain/wait
                port: 4040
`;

/** The parts of the good pod that tests change. */
export interface PodParts {
  readonly root: Loose;
  readonly spec: Loose;
  readonly router: Loose;
  readonly envoy: Loose;
}

export type PodChange = (parts: PodParts) => void;

/** The good manifest with a change, as text. */
export function changed(change: PodChange): string {
  const root = parse(GOOD);
  const { spec } = root.spec.template;
  const [router, envoy] = spec.containers;
  change({ root, spec, router, envoy });
  return stringify(root);
}

export function read(...texts: readonly string[]): Manifests {
  return readManifests(
    texts.map((text, i) => ({ file: i === 0 ? "pod.yaml" : `${i}.yaml`, text })),
  );
}

/** Problems of the pod itself, held against these settings. */
export function podProblems(change: PodChange, explicit: Partial<Settings> = {}): Problem[] {
  const { effective, derived } = checkFlags(settingsOf(explicit));
  return read(changed(change)).pods
    .flatMap((pod) => checkPod(pod, { settings: effective.values, derived }));
}
