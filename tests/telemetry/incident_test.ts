// One incident, told by everything an operator has: the pool is saturated, then the control plane is
// down, comes back unwell, refuses the router's token, then the router is rolled. In every scene the
// status document and its page, a panel of the board, an alert, a line of the log and a span must each
// tell it correctly.
import { assert, assertEquals } from "@std/assert";
import { statusReply } from "../support/fake_reply.ts";
import { until } from "../support/until.ts";
import {
  fires,
  over,
  quickRules,
  recorded,
  type Scene,
  shown,
  silent,
  type Telling,
  toldNow,
  TRACE,
  underLoad,
} from "./_incident.ts";
import { otlpReceiver } from "./_otlp.ts";
import { Program } from "./_program.ts";
import { missing, prometheus } from "./_prometheus.ts";

const RX = { reply: statusReply(8, "no free workers available") };
const TRACE_ID = TRACE.slice(3, 35);
/** OTLP's STATUS_CODE_ERROR. */
const SPAN_ERROR = 2;

function actors(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, at) => `${name}${at}`);
}

const SATURATED: Telling = {
  summary: { kind: "saturated", runbook: "saturation" },
  sentence: /^Saturated: \d+ requests? waited 1s in vain in the last minute/,
  tone: "bad",
  panel: ["Budget exhausted", {}, (share) => share > 0.9],
  alerts: { fires: "Saturated", silent: ["ControlPlaneDown", "Unavailable", "Errors"] },
  line: {
    msg: "request parked, budget exhausted",
    level: "info",
    actor: "a0",
    code: "RESOURCE_EXHAUSTED",
    trace_id: TRACE_ID,
  },
  span: { "atenet.actor": "a0", "atenet.park": "budget_exhausted", "atenet.role": "leader" },
  events: ["parked", "unparked"],
};

async function saturated(scene: Scene): Promise<void> {
  const { program } = scene;
  const names = actors("a", 4);
  for (const actor of names) program.plane.script(`demo/${actor}`, RX);
  await underLoad(scene, names, async () => {
    await toldNow(scene, SATURATED);
    await shown(scene, ["Lot in use", {}, (share) => share > 0 && share <= 1]);
  });
  const { last_minute } = await program.status();
  assertEquals(last_minute.reasons[0]?.code, "RESOURCE_EXHAUSTED");
  assertEquals(last_minute.reasons[0]?.description, "no free workers available");
  const { span } = await recorded(scene, SATURATED);
  assertEquals(span.traceId, TRACE_ID);
}

const AWAY: Telling = {
  summary: { kind: "control_plane_away", runbook: "control-plane-unavailable" },
  sentence: /^Control plane away for [\d.]+ s: requests are parked for up to 1s and then get 503\./,
  tone: "bad",
  panel: ["Control plane connections", {}, (count) => count === 0],
  alerts: {
    fires: "ControlPlaneDown",
    silent: ["Unavailable", "ControlPlaneSilent", "Errors"],
  },
  line: {
    msg: "request parked, budget exhausted",
    actor: "gone",
    outcome: "unavailable",
    trace_id: TRACE_ID,
  },
  span: { "atenet.actor": "gone", "atenet.outcome": "unavailable", "atenet.role": "leader" },
  events: ["parked", "unparked"],
};

async function controlPlaneDown(scene: Scene): Promise<void> {
  const { program, receiver } = scene;
  await program.plane.down();
  await underLoad(scene, ["gone"], async () => {
    await toldNow(scene, AWAY);
    await over(scene, "Saturated");
    await recorded(scene, AWAY);
  });
  for (const alert of AWAY.alerts.silent) await silent(scene, alert);
  const lost = (line: { level?: unknown; msg?: unknown }) =>
    line.level === "warn" && line.msg === "control plane: no connection";
  assert(program.log().some(lost), "the log says that the connection is lost");
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
  await shown(scene, ["Control plane connections", {}, (count) => count === 1]);
}

const UNAVAILABLE: Telling = {
  summary: { kind: "failing", runbook: "control-plane-unavailable" },
  sentence:
    /^Control plane answers UNAVAILABLE: \d+ requests waited 1s in vain in the last minute\./,
  tone: "bad",
  panel: ["Requests by outcome", { outcome: "unavailable" }, (rate) => rate > 0],
  alerts: { fires: "Unavailable", silent: ["Saturated", "Errors"] },
  line: {
    msg: "request parked, budget exhausted",
    actor: "unwell0",
    outcome: "unavailable",
    code: "UNAVAILABLE",
    trace_id: TRACE_ID,
  },
  span: { "atenet.actor": "unwell0", "atenet.outcome": "unavailable", "atenet.role": "leader" },
  events: ["parked", "unparked"],
};

/** Connected, but it does not do its work: neither away nor a full pool. */
async function unavailable(scene: Scene): Promise<void> {
  const { program } = scene;
  // So many that their answers soon outnumber those of the full pool in the last minute, which is as
  // long as ever: the sentence follows the most frequent one.
  const names = actors("unwell", 24);
  for (const actor of names) {
    program.plane.script(`demo/${actor}`, { reply: statusReply(14, "leader lost") });
  }
  await underLoad(scene, names, async () => {
    await over(scene, "ControlPlaneDown");
    await toldNow(scene, UNAVAILABLE);
    await shown(scene, ["Why requests wait", { code: "UNAVAILABLE" }, (rate) => rate > 0]);
  });
  await recorded(scene, UNAVAILABLE);
}

const FAILING: Telling = {
  summary: { kind: "failing", runbook: "failures" },
  sentence:
    /^Failing: \d+ of \d+ requests of the last minute failed, \d+ of them with the outcome unauthenticated\./,
  tone: "bad",
  panel: ["Requests by outcome", { outcome: "unauthenticated" }, (rate) => rate > 0],
  alerts: { fires: "Errors", silent: ["Saturated", "ControlPlaneDown"] },
  line: {
    msg: "request failed",
    actor: "refused",
    outcome: "unauthenticated",
    code: "UNAUTHENTICATED",
    trace_id: TRACE_ID,
  },
  span: { "atenet.actor": "refused", "atenet.outcome": "unauthenticated" },
  events: [],
};

/** Calls are refused for good: the router's own token, say. */
async function failing(scene: Scene): Promise<void> {
  const { program, receiver } = scene;
  program.plane.script("demo/refused", { afterMs: 50, reply: statusReply(16, "token expired") });
  await underLoad(scene, ["refused"], () => toldNow(scene, FAILING));
  await recorded(scene, FAILING);
  const attempt = receiver.spans.find((one) =>
    one.attributes["rpc.response.status_code"] === "UNAUTHENTICATED"
  );
  assertEquals([attempt?.traceId, attempt?.statusCode], [TRACE_ID, SPAN_ERROR]);
}

const DRAINING: Telling = {
  summary: { kind: "draining", runbook: "rollout-and-shutdown" },
  sentence: /^Draining \(step \w+\): \d requests? without a verdict\./,
  tone: "warn",
  panel: ["Ready routers", {}, (count) => count === 0],
  alerts: { fires: undefined, silent: ["DrainResets", "Absent", "ControlPlaneDown"] },
  line: { msg: "shutdown complete", reset: 0, remaining: 0, exit: 0 },
  span: { "atenet.actor": "x", "atenet.park": "budget_exhausted", "atenet.role": "leader" },
  events: ["parked", "unparked"],
};

async function rolled(scene: Scene): Promise<void> {
  const { program, receiver } = scene;
  const names = ["x", "y", "z"];
  for (const actor of names) program.plane.script(`demo/${actor}`, RX);
  await shown(scene, ["Ready routers", {}, (count) => count === 1]);
  const answers = names.map((actor) => program.ask(actor));
  await program.statusWhen("three parked", ({ parking }) => parking.active === 3);
  program.signal("SIGTERM");
  await program.statusWhen(
    "draining with what is open",
    ({ summary, drain, health }) =>
      summary.kind === "draining" && drain?.ledger.remaining === 3 && !health.healthy,
  );
  await toldNow(scene, DRAINING);
  await Promise.all(answers);
  assertEquals(await program.exit, 0);
  const { line } = await recorded(scene, DRAINING);
  assertEquals([line.open_at_signal, line.budget_exhausted], [3, 3]);
  const steps = program.log().filter((one) => one.msg === "drain").map((one) => one.step);
  assertEquals(steps, ["readiness", "delay", "envoy", "ext_proc", "marker", "close", "telemetry"]);
  const drained = receiver.exports.at(-1)?.find((one) =>
    one.name === "atenet.router.drain.requests"
  );
  assertEquals(
    drained?.points.find((point) => point.attributes.end === "budget_exhausted")?.value,
    3,
  );
  // It was the only one: those who watch say that none is left.
  await fires(scene, "Absent");
}

Deno.test({
  name:
    "saturation, outages, refusals and a rollout are told by metrics, traces, logs, status and board",
  ignore: missing("prometheus"),
  fn: async () => {
    await using receiver = otlpReceiver();
    await using program = await Program.start({
      // The delay is long enough for a scrape of a router that is on its way out.
      flags: { "parked-request-budget": "1s", "parked-request-max": "50", "drain-delay": "4s" },
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_BSP_SCHEDULE_DELAY: "500" },
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
