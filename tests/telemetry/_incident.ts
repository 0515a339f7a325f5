// What an operator has in an incident, and how each of it is read: the sentence of the status
// document and of its page, a panel of the board and an alert (a real Prometheus with our rules), a
// line of the log, a span. Used by incident_test.ts.
import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Summary } from "../../src/admin/snapshot.ts";
import { until } from "../support/until.ts";
import type { OtlpReceiver, ReceivedSpan } from "./_otlp.ts";
import type { LogLine, Program } from "./_program.ts";
import type { Prometheus } from "./_prometheus.ts";

const ROOT = new URL("../../", import.meta.url);
const WAIT_MS_MAX = 20_000;
export const TRACE = "00-cccccccccccccccccccccccccccccccc-3333333333333333-01";

/** The router of the incident and those who watch it. */
export interface Scene {
  readonly program: Program;
  readonly server: Prometheus;
  readonly receiver: OtlpReceiver;
}

/** What each of those that tell has to say in a scene; none may be left out. */
export interface Telling {
  readonly summary: Pick<Summary, "kind" | "runbook">;
  readonly sentence: RegExp;
  /** How the page shows the sentence. */
  readonly tone: "warn" | "bad";
  /** Title of a panel, labels of one of its series, and what that shows. */
  readonly panel: readonly [
    title: string,
    labels: Readonly<Record<string, string>>,
    shows: (value: number) => boolean,
  ];
  /** Without the common beginning. `fires` is undefined when nobody is to be woken. */
  readonly alerts: { readonly fires: string | undefined; readonly silent: readonly string[] };
  /** Fields of a line. */
  readonly line: LogLine;
  /** Attributes of a span, and names of its events. */
  readonly span: Readonly<Record<string, string | number>>;
  readonly events: readonly string[];
}

/**
 * The rules as deployed, with seconds for minutes: an alert that needs four minutes of trouble would
 * make this test an hour long. Every range and every `for` is shortened, so that their order stays as
 * it is; that the real times are right is tested by promtool with deploy/prometheus/alerts_test.yaml.
 */
export async function quickRules(): Promise<string> {
  const text = await Deno.readTextFile(new URL("deploy/prometheus/alerts.yaml", ROOT));
  return text.replace(/\[\d+[mh]\]/g, "[8s]").replace(/for: \S+/g, "for: 1s")
    .replace(/interval: \S+/g, "interval: 1s");
}

/** The expression of a panel of the board, as a browser would ask it; its range as in the rules. */
async function panel(title: string): Promise<string> {
  const board = JSON.parse(
    await Deno.readTextFile(new URL("deploy/grafana/atenet-router.json", ROOT)),
  );
  const found = board.panels.find((one: { title: string }) => one.title === title);
  if (found === undefined) throw new Error(`Cannot find as panel: ${title}`);
  return String(found.targets[0].expr).replaceAll("$instance", ".*")
    .replaceAll("$__rate_interval", "8s");
}

/** Do all fields of `wanted` have these values? */
function fits(all: Readonly<Record<string, unknown>>, wanted: Readonly<Record<string, unknown>>) {
  return Object.entries(wanted).every(([name, value]) => all[name] === value);
}

/** Waits until the board shows it. */
export async function shown({ server }: Scene, [title, labels, shows]: Telling["panel"]) {
  const expression = await panel(title);
  await until(`the panel ${title}`, async () => {
    const series = await server.query(expression);
    return series.some((one) => fits(one.labels, labels) && shows(one.value));
  }, WAIT_MS_MAX);
}

function firing(alert: string): string {
  return `ALERTS{alertname="AtenetRouter${alert}",alertstate="firing"}`;
}

/** Waits until an alert fires. */
export function fires({ server }: Scene, alert: string): Promise<number> {
  return server.until(firing(alert), (value) => value === 1);
}

export async function silent({ server }: Scene, alert: string): Promise<void> {
  assertEquals(await server.query(firing(alert)), [], alert);
}

/** Waits until an alert of an earlier scene is over. */
export function over({ server }: Scene, alert: string): Promise<number> {
  return server.until(`absent(${firing(alert)})`, (value) => value === 1);
}

/** The paragraph with the sentence, as a browser gets it. */
async function paragraph({ program }: Scene): Promise<{ tone: string; text: string }> {
  const page = await program.read("/statusz", { accept: "text/html" });
  const [, tone = "", inner = ""] = /<p class="sentence (\w+)">(.*?)<\/p>/s.exec(page) ?? [];
  const text = inner.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ").trim();
  return { tone, text: text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))) };
}

/** Document, page, board and alerts, which tell it while it lasts. */
export async function toldNow(scene: Scene, telling: Telling): Promise<void> {
  const { sentence, tone, alerts } = telling;
  await scene.program.statusWhen(
    `the sentence ${sentence}`,
    ({ summary }) => fits({ ...summary }, telling.summary) && sentence.test(summary.text),
    WAIT_MS_MAX,
  );
  const said = await paragraph(scene);
  assertEquals(said.tone, tone);
  assertMatch(said.text, sentence);
  assert(said.text.endsWith(`runbook: ${telling.summary.runbook}`), said.text);
  await shown(scene, telling.panel);
  if (alerts.fires !== undefined) await fires(scene, alerts.fires);
  for (const alert of alerts.silent) await silent(scene, alert);
}

/** Log and traces, which keep it. @returns the line and the span. */
export async function recorded(
  { program, receiver }: Scene,
  { line, span, events }: Telling,
): Promise<{ line: LogLine; span: ReceivedSpan }> {
  const logged = await until(
    `a line with ${JSON.stringify(line)}`,
    () => program.log().find((one) => fits(one, line)),
    WAIT_MS_MAX,
  );
  const traced = await until(
    `a span with ${JSON.stringify(span)}`,
    () => receiver.spans.find((one) => fits(one.attributes, span)),
    WAIT_MS_MAX,
  );
  assertEquals(traced.events.map((event) => event.name), events);
  return { line: logged, span: traced };
}

/** Keeps `actors` busy while `work` runs. */
export async function underLoad(
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
