// One incident, told by everything an operator has: the pool is saturated, then the control plane is
// down, comes back unwell, refuses the router's token, then the router is rolled. Metrics (a real Prometheus with our rules, their times shrunk),
// traces, logs, the status document and the board must each tell it correctly.
import { assert, assertEquals } from "@std/assert";
import type { Summary } from "../../src/admin/snapshot.ts";
import { statusReply } from "../support/fake_reply.ts";
import { until } from "../support/until.ts";
import { type OtlpReceiver, otlpReceiver } from "./_otlp.ts";
import { type LogLine, Program } from "./_program.ts";
import { missing, type Prometheus, prometheus } from "./_prometheus.ts";

const ROOT = new URL("../../", import.meta.url);
const RX = { reply: statusReply(8, "no free workers available") };
const TRACE = "00-cccccccccccccccccccccccccccccccc-3333333333333333-01";

/** The rules as deployed, with seconds for minutes. */
async function quickRules(): Promise<string> {
  const text = await Deno.readTextFile(new URL("deploy/prometheus/alerts.yaml", ROOT));
  return text.replace(/\[\d+[mh]\]/g, "[8s]").replace(/for: \S+/g, "for: 1s")
    .replace(/interval: \S+/g, "interval: 1s");
}

/** The expression of a panel of the board, as a browser would ask it. */
async function panel(title: string): Promise<string> {
  const board = JSON.parse(
    await Deno.readTextFile(new URL("deploy/grafana/atenet-router.json", ROOT)),
  );
  const found = board.panels.find((one: { title: string }) => one.title === title);
  return String(found.targets[0].expr).replaceAll("$instance", ".*")
    .replaceAll("$__rate_interval", "8s");
}

interface Scene {
  readonly program: Program;
  readonly server: Prometheus;
  readonly receiver: OtlpReceiver;
}

function firing({ server }: Scene, alert: string): Promise<number> {
  return server.until(`ALERTS{alertname="${alert}",alertstate="firing"}`, (value) => value === 1);
}

async function silent({ server }: Scene, alert: string): Promise<void> {
  assertEquals(await server.query(`ALERTS{alertname="${alert}",alertstate="firing"}`), []);
}

/** Waits until an alert of an earlier scene is over. */
function over({ server }: Scene, alert: string): Promise<number> {
  const firing = `ALERTS{alertname="${alert}",alertstate="firing"}`;
  return server.until(`absent(${firing})`, (value) => value === 1);
}

function tells({ program }: Scene, kind: Summary["kind"]): Promise<unknown> {
  return program.statusWhen(`the sentence ${kind}`, ({ summary }) => summary.kind === kind, 20_000);
}

/** Keeps `actors` busy while `work` runs. */
async function underLoad(
  { program }: Scene,
  actors: readonly string[],
  work: () => Promise<unknown>,
): Promise<void> {
  let on = true;
  const clients = actors.map(async (actor) => {
    while (on) await program.ask(actor, { traceparent: TRACE });
  });
  try {
    await work();
  } finally {
    on = false;
    await Promise.all(clients);
  }
}

async function saturated(scene: Scene): Promise<void> {
  const { program, server, receiver } = scene;
  const actors = Array.from({ length: 8 }, (_, at) => `a${at}`);
  for (const actor of actors) program.plane.script(`demo/${actor}`, RX);
  await underLoad(scene, actors, async () => {
    await tells(scene, "saturated");
    await firing(scene, "AtenetRouterSaturated");
    await silent(scene, "AtenetRouterControlPlaneDown");
    await server.until(await panel("Budget exhausted"), (share) => share > 0.9);
    await server.until(await panel("Lot in use"), (share) => share > 0 && share <= 1);
  });
  const { last_minute } = await program.status();
  assertEquals(last_minute.reasons[0]?.code, "RESOURCE_EXHAUSTED");
  assertEquals(last_minute.reasons[0]?.description, "no free workers available");
  const line = await program.said("request parked, budget exhausted");
  assertEquals([line.code, line.trace_id], ["RESOURCE_EXHAUSTED", TRACE.slice(3, 35)]);
  const span = await until(
    "a span of a request that waited in vain",
    () => receiver.spans.find((one) => one.attributes["atenet.park"] === "budget_exhausted"),
    20_000,
  );
  assertEquals(span.events.map((event) => event.name), ["parked", "unparked"]);
}

async function controlPlaneDown(scene: Scene): Promise<void> {
  const { program, receiver } = scene;
  await program.plane.down();
  await underLoad(scene, ["gone"], async () => {
    await tells(scene, "control_plane_away");
    await firing(scene, "AtenetRouterControlPlaneDown");
    await over(scene, "AtenetRouterSaturated");
    const ended = (line: LogLine) =>
      line.outcome === "unavailable" && line.park === "budget_exhausted";
    await until("the outcome unavailable", () => program.log().some(ended));
  });
  for (const alert of ["Saturated", "Unavailable", "ControlPlaneSilent", "Errors"]) {
    await silent(scene, `AtenetRouter${alert}`);
  }
  assert(
    program.log().some((line) => line.level === "warn" && /control plane/.test(`${line.msg}`)),
  );
  await until(
    "a span of a call that was lost",
    () => receiver.spans.some((one) => one.attributes["rpc.response.status_code"] === "LOST"),
    20_000,
  );
  await program.plane.up();
  await program.statusWhen(
    "the control plane back",
    ({ control_plane }) => control_plane.down_ms === 0,
    20_000,
  );
}

/** Connected, but it does not do its work: neither away nor a full pool. */
async function unavailable(scene: Scene): Promise<void> {
  const { program } = scene;
  program.plane.script("demo/unwell", { reply: statusReply(14, "leader lost") });
  await underLoad(scene, ["unwell"], async () => {
    await over(scene, "AtenetRouterControlPlaneDown");
    await firing(scene, "AtenetRouterUnavailable");
    await silent(scene, "AtenetRouterSaturated");
  });
}

/** Calls are refused for good: the router's own token, say. */
async function failing(scene: Scene): Promise<void> {
  const { program } = scene;
  program.plane.script("demo/refused", { afterMs: 200, reply: statusReply(16, "token expired") });
  await underLoad(scene, ["refused"], async () => {
    await firing(scene, "AtenetRouterErrors");
    await program.statusWhen(
      "the sentence that requests are refused",
      ({ summary }) => summary.runbook === "failures" && /unauthenticated/.test(summary.text),
    );
  });
}

async function rolled(scene: Scene): Promise<void> {
  const { program, receiver } = scene;
  for (const actor of ["x", "y", "z"]) program.plane.script(`demo/${actor}`, RX);
  const answers = ["x", "y", "z"].map((actor) => program.ask(actor));
  await program.statusWhen("three parked", ({ parking }) => parking.active === 3);
  await silent(scene, "AtenetRouterDrainResets");
  program.signal("SIGTERM");
  await program.statusWhen(
    "draining with what is open",
    ({ summary, drain, health }) =>
      summary.kind === "draining" && drain?.ledger.remaining === 3 && !health.healthy,
  );
  await Promise.all(answers);
  assertEquals(await program.exit, 0);
  const end = await program.said("shutdown complete");
  assertEquals([end.open_at_signal, end.budget_exhausted, end.reset, end.remaining, end.exit], [
    3,
    3,
    0,
    0,
    0,
  ]);
  const steps = program.log().filter((line) => line.msg === "drain").map((line) => line.step);
  assertEquals(steps, ["readiness", "delay", "envoy", "ext_proc", "marker", "close", "telemetry"]);
  const drained = receiver.exports.at(-1)?.find((one) =>
    one.name === "atenet.router.drain.requests"
  );
  assertEquals(
    drained?.points.find((point) => point.attributes.end === "budget_exhausted")?.value,
    3,
  );
}

Deno.test({
  name:
    "saturation, outages, refusals and a rollout are told by metrics, traces, logs, status and board",
  ignore: missing("prometheus"),
  fn: async () => {
    await using receiver = otlpReceiver();
    await using program = await Program.start({
      flags: { "parked-request-budget": "1s", "parked-request-max": "50" },
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url },
    });
    await using server = await prometheus(program.metricsAddress, await quickRules());
    const scene = { program, server, receiver };
    await saturated(scene);
    await controlPlaneDown(scene);
    await unavailable(scene);
    await failing(scene);
    await rolled(scene);
  },
});
