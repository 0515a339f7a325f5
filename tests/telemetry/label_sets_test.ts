import { assert, assertEquals, assertNotEquals } from "@std/assert";
import type { Attributes } from "@opentelemetry/api";
import { emptyResource } from "@opentelemetry/resources";
import { LabelSets } from "../../src/telemetry/label_sets.ts";
import { METRICS } from "../../src/telemetry/metric_table.ts";
import { MetricsPipeline } from "../../src/telemetry/metrics_pipeline.ts";
import { RouteAttributes } from "../../src/telemetry/route_attributes.ts";
import { parsePage, seriesOf } from "./_page.ts";
import { denied, routed } from "./_records.ts";

function pipeline(): MetricsPipeline {
  return new MetricsPipeline({
    resource: emptyResource(),
    version: "0",
    prometheus: true,
    push: undefined,
  });
}

Deno.test("the first set has no label, every other one short label of its own", () => {
  const sets = new LabelSets();
  const shorts = ["ok", "shed", "error"].map((outcome) => sets.shorten({ outcome }));
  assertEquals(shorts.map((short) => Object.keys(short).length), [0, 1, 1]);
  assertNotEquals(shorts[1], shorts[2]);
});

Deno.test("the same verdict gives the same object, another one another", () => {
  const attributes = new RouteAttributes(new LabelSets());
  const first = attributes.of(routed());
  assert(attributes.of(routed({ target: "10.9.9.9:80" })) === first);
  const others = [
    routed({ resume: "triggered" }),
    routed({ templateName: "other" }),
    routed({ templateNamespace: "other" }),
    denied(),
    denied({ outcome: "shed" }),
  ].map((verdict) => attributes.of(verdict));
  assertEquals(new Set([first, ...others]).size, 6);
});

Deno.test("templates with the same labels are one series, also beside those that are too many", () => {
  const sets = new class extends LabelSets {
    readonly full: string[] = [];
    override shorten(full: Attributes) {
      this.full.push(JSON.stringify(full));
      return super.shorten(full);
    }
  }();
  const attributes = new RouteAttributes(sets);
  const long = "n".repeat(128);
  const of = ([templateNamespace, templateName]: readonly [string, string]) =>
    attributes.of(routed({ templateNamespace, templateName }));
  const same: (readonly [string, string])[][] = [
    [["ns", `${long}1`], ["ns", `${long}2`]],
    [["ns", "a\nb"], ["ns", "a b"], ["ns", "a\tb"]],
    [["", "tpl"], ["unknown", "tpl"]],
    [["a b", "c"], ["a\nb", "c"]],
    [["a", "b c"]],
  ];
  const shorts = same.map((pairs) => new Set(pairs.map(of)));
  assertEquals(shorts.map(({ size }) => size), same.map(() => 1));
  assertEquals(new Set(shorts.flatMap((short) => [...short])).size, same.length);
  const other = of(["other", "other"]);
  for (let i = 0; i < 256; i++) of(["many", `${i}`]);
  assert(of(["one", "more"]) === other);
  assert(of(["other", "other"]) === other);
  assertEquals(new Set(sets.full).size, sets.full.length);
});

Deno.test("readers see the full labels, whichever set came first", async () => {
  const all = [
    { outcome: "ok", resume: "none" },
    { outcome: "shed", resume: "triggered" },
    { outcome: "ok", resume: "joined" },
  ];
  for (let first = 0; first < all.length; first++) {
    const { meter, labels, page } = bound(pipeline());
    const histogram = meter.createHistogram(METRICS.routeDuration.name, { unit: "s" });
    const order = [...all.slice(first), ...all.slice(0, first)];
    order.forEach((full, at) => {
      const short = labels.shorten(full);
      for (let times = 0; times <= at; times++) histogram.record(1, short);
    });
    const series = seriesOf(parsePage(await page()), "atenet_router_route_duration_seconds_count");
    assertEquals(
      series.map(([key, count]) => [key.replace(/.*\{/, "{"), count]),
      order.map(({ outcome, resume }, at) => [`{outcome="${outcome}",resume="${resume}"}`, at + 1]),
    );
  }
});

Deno.test("labels of other metrics and the SDK's overflow are left alone", async () => {
  const { meter, labels, page } = bound(pipeline());
  labels.shorten({ outcome: "ok" });
  meter.createCounter("atenet.router.other").add(1, {});
  meter.createCounter("atenet.router.other").add(2, { set: "0" });
  meter.createHistogram(METRICS.routeDuration.name).record(1, { "otel.metric.overflow": true });
  const text = await page();
  assert(text.includes("atenet_router_other_total 1\n"), text);
  assert(text.includes('atenet_router_other_total{set="0"} 2\n'), text);
  assert(text.includes('otel_metric_overflow="true"'), text);
});

function bound(metrics: MetricsPipeline) {
  return { meter: metrics.meter, labels: metrics.labels, page: () => metrics.page() };
}
