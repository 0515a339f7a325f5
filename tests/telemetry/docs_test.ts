// What stands in docs/ and deploy/ about metrics is what is emitted, and what promtool accepts.
import { assert, assertEquals } from "@std/assert";
import { parse } from "yaml";
import { type MetricRow, METRICS, prometheusName } from "../../src/telemetry/metric_table.ts";
import { assertFile } from "../golden/golden.ts";
import { metricsDocument } from "./_docs.ts";
import { missing, onPath } from "./_prometheus.ts";

const ROOT = new URL("../../", import.meta.url);
const ALERTS = "deploy/prometheus/alerts.yaml";
const BOARD = "deploy/grafana/atenet-router.json";

function read(path: string): Promise<string> {
  return Deno.readTextFile(new URL(path, ROOT));
}

/** Every series name that is emitted, with its labels. */
function emitted(): Map<string, readonly string[]> {
  const series = new Map<string, readonly string[]>();
  for (const row of Object.values(METRICS) as MetricRow[]) {
    const name = prometheusName(row);
    if (row.kind !== "histogram") series.set(name, row.attributes);
    else {
      series.set(`${name}_bucket`, [...row.attributes, "le"]);
      for (const suffix of ["_sum", "_count"]) series.set(name + suffix, row.attributes);
    }
  }
  return series;
}

interface Rule {
  readonly record?: string;
  readonly alert?: string;
  readonly expr: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

async function rules(): Promise<Rule[]> {
  const { groups } = parse(await read(ALERTS)) as { groups: { rules: Rule[] }[] };
  return groups.flatMap((group) => group.rules);
}

interface Panel {
  readonly title: string;
  readonly description?: string;
  readonly type: string;
  readonly targets?: readonly { readonly expr: string }[];
}

async function panels(): Promise<Panel[]> {
  const board = JSON.parse(await read(BOARD)) as { panels: Panel[] };
  return board.panels.filter((panel) => panel.type !== "row");
}

/** What Prometheus adds to every series it scrapes. */
const SCRAPE_LABELS = ["instance", "job"];

/** Problems of the names and labels in an expression. */
function unknownIn(expression: string, recorded: ReadonlySet<string>): string[] {
  const series = emitted();
  const problems: string[] = [];
  const used: string[] = [];
  for (
    const [, name = "", selector = ""] of expression.matchAll(
      /\b(atenet_router[a-z0-9_:]*)(?:\{([^}]*)\})?/g,
    )
  ) {
    if (recorded.has(name)) continue;
    const labels = series.get(name);
    if (!labels) problems.push(`no metric ${name}`);
    used.push(...labels ?? []);
    for (const [, label = ""] of selector.matchAll(/([a-z_]+)\s*[=!]~?=?\s*"/g)) {
      if (![...labels ?? [], ...SCRAPE_LABELS].includes(label)) {
        problems.push(`no label ${label} of ${name}`);
      }
    }
  }
  for (const [, list = ""] of expression.matchAll(/\bby \(([^)]*)\)/g)) {
    for (const label of list.split(",").map((text) => text.trim())) {
      if (![...used, ...SCRAPE_LABELS].includes(label)) problems.push(`no label ${label}`);
    }
  }
  return problems;
}

Deno.test("docs/metrics.md is what the table of metrics says", async () => {
  await assertFile(new URL("docs/metrics.md", ROOT), metricsDocument());
});

Deno.test("every metric that rules and board name is emitted, with those labels", async () => {
  const all = await rules();
  const recorded = new Set(all.flatMap((rule) => rule.record ?? []));
  const expressions = [
    ...all.map((rule) => [rule.alert ?? rule.record ?? "", rule.expr] as const),
    ...(await panels()).flatMap((panel) =>
      (panel.targets ?? []).map((target) => [panel.title, target.expr] as const)
    ),
  ];
  const problems = expressions.flatMap(([where, expression]) =>
    unknownIn(expression, recorded).map((problem) => `${where}: ${problem}`)
  );
  assertEquals(problems, []);
  assert(expressions.length > 40);
});

Deno.test("the check of names finds wrong names and labels", () => {
  const none = new Set<string>();
  assertEquals(unknownIn("rate(atenet_router_nothing_total[1m])", none), [
    "no metric atenet_router_nothing_total",
  ]);
  assertEquals(unknownIn('atenet_router_ready{actor="a",instance=~"x"}', none), [
    "no label actor of atenet_router_ready",
  ]);
  assertEquals(unknownIn("sum by (outcome) (atenet_router_ready)", none), ["no label outcome"]);
  assertEquals(unknownIn("atenet_router:x:rate1m > 1", new Set(["atenet_router:x:rate1m"])), []);
});

Deno.test("every metric is on the board, in a rule, or said to be for reading only", async () => {
  const text = await read(BOARD) + await read(ALERTS);
  const unused = [...emitted().keys()].filter((name) => !text.includes(name));
  // Sums belong to averages that nobody should alert on.
  assertEquals(unused.filter((name) => !name.endsWith("_sum")), []);
});

Deno.test("every alert has a runbook section that explains it, and every section an alert", async () => {
  const runbook = await read("docs/runbook.md");
  const sections = runbook.split(/^## /m).slice(1);
  const anchorOf = (section: string) =>
    (section.split("\n")[0] ?? "").toLowerCase().replace(/[^a-z0-9 -]/g, "").replaceAll(" ", "-");
  const alerts = (await rules()).filter((rule) => rule.alert);
  for (const { alert, annotations } of alerts) {
    const anchor = annotations?.runbook?.split("#")[1];
    const section = sections.find((text) => anchorOf(text) === anchor);
    assert(section, `${alert}: no section ${anchor}`);
    assert(section.includes(`\`${alert}\``), `${anchor} does not name ${alert}`);
    assert(annotations?.summary && annotations.description, alert);
  }
  for (const [, name = ""] of runbook.matchAll(/`(AtenetRouter\w+)`/g)) {
    assert(alerts.some((rule) => rule.alert === name), `${name} is no alert`);
  }
  for (const section of sections) {
    assert(section.includes("**Do.**") && section.includes("**Means.**"), anchorOf(section));
  }
});

Deno.test("every metric the runbook names is emitted", async () => {
  const runbook = await read("docs/runbook.md");
  const problems = [...runbook.matchAll(/`(atenet_router_[^`]*)`/g)].flatMap(([, text = ""]) =>
    unknownIn(text, new Set())
  );
  assertEquals(problems, []);
});

Deno.test("the board is laid out without overlaps, every panel says what it shows", async () => {
  const board = JSON.parse(await read(BOARD)) as {
    panels: (Panel & {
      id: number;
      gridPos: { x: number; y: number; w: number; h: number };
    })[];
  };
  const taken = new Map<string, string>();
  for (const panel of board.panels) {
    assert(panel.type === "row" || panel.description, panel.title);
    const { x, y, w, h } = panel.gridPos;
    assert(x + w <= 24, panel.title);
    for (let row = y; row < y + h; row++) {
      for (let column = x; column < x + w; column++) {
        const cell = `${row},${column}`;
        assertEquals(taken.get(cell), undefined, `${panel.title} over ${taken.get(cell)}`);
        taken.set(cell, panel.title);
      }
    }
  }
  assertEquals(new Set(board.panels.map((panel) => panel.id)).size, board.panels.length);
});

async function promtool(...args: string[]): Promise<void> {
  const cwd = new URL("deploy/prometheus/", ROOT).pathname;
  const command = new Deno.Command(onPath("promtool") ?? "promtool", { args, cwd });
  const { code, stdout, stderr } = await command.output();
  const text = new TextDecoder();
  assertEquals(code, 0, text.decode(stdout) + text.decode(stderr));
}

Deno.test({
  name: "promtool accepts the rules",
  ignore: missing("promtool"),
  fn: () => promtool("check", "rules", "alerts.yaml"),
});

Deno.test({
  name: "promtool's unit tests of the alerts pass, and there is one for every alert",
  ignore: missing("promtool"),
  fn: async () => {
    await promtool("test", "rules", "alerts_test.yaml");
    const tests = await read("deploy/prometheus/alerts_test.yaml");
    for (const { alert } of await rules()) {
      if (!alert) continue;
      const block = tests.split("- eval_time").filter((text) => text.includes(`${alert}\n`));
      assert(block.some((text) => text.includes("exp_labels")), `${alert} is never seen to fire`);
      assert(block.some((text) => text.includes("exp_alerts: []")), `${alert} always fires`);
    }
  },
});
