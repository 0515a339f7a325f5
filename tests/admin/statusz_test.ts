import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { buildSnapshot } from "../../src/admin/build_snapshot.ts";
import { escapeHtml, html, middleCut } from "../../src/admin/html.ts";
import { EMPTY_HISTORY } from "../../src/admin/snapshot_parts.ts";
import { statuszPage } from "../../src/admin/statusz.ts";
import { historyChart, lotBar } from "../../src/admin/statusz_chart.ts";
import { STYLE } from "../../src/admin/statusz_style.ts";
import { busySources, EVIL } from "./_busy.ts";
import { sources } from "./_sources.ts";

function busy(): string {
  return statuszPage.render(buildSnapshot(busySources()), undefined);
}

Deno.test("values in a template are escaped, lists joined, nothing is nothing", () => {
  assertEquals(html`<b>${"<i>"}</b>`.text, "<b>&#60;i&#62;</b>");
  assertEquals(html`${[html`<i>`, "<", 1]}${null}${undefined}${false}`.text, "<i>&#60;1false");
  assertEquals(escapeHtml(`<>&"'\``), "&#60;&#62;&#38;&#34;&#39;&#96;");
});

Deno.test("a long name loses its middle and keeps it in the title", () => {
  assertEquals(middleCut("short").text, "short");
  const cut = middleCut(`${"a".repeat(30)}<${"b".repeat(30)}`, 11).text;
  assertStringIncludes(cut, ">aaaaa…bbbbb</span>");
  assertStringIncludes(cut, "&#60;");
  assertEquals(middleCut("😀".repeat(11), 11).text, "😀".repeat(11));
});

Deno.test("nothing from the wire becomes markup", () => {
  const page = busy();
  assert(!page.includes("<script"), "a script");
  assert(!page.includes("<img"), "an image");
  assert(!/\son[a-z]+=/i.test(page.replaceAll(escapeHtml(EVIL), "")), "a handler");
  assertStringIncludes(page, escapeHtml(EVIL));
});

Deno.test("B54: query strings are not on the page, nor in the document", () => {
  const snapshot = buildSnapshot(busySources());
  assert(!busy().includes("S1"));
  assert(!JSON.stringify(snapshot).includes("S1"));
});

Deno.test("calls that wait for a stream stand beside the connection they wait for", () => {
  const [, card = ""] = busy().split('<section id="neighbours">');
  const cells = card.split("</section>")[0]!.replaceAll(/\s+/g, " ");
  assertStringIncludes(cells, '<th class="n">queued</th>');
  assertStringIncludes(cells, '<td class="n warn">73</td>');
  assertStringIncludes(cells, '<td class="n ">0</td>');
});

Deno.test("the page loads nothing and its policy allows only its own style", async () => {
  const page = busy();
  assert(!/<(?:link|script|iframe|object|img|form)\b/i.test(page));
  assert(!/\b(?:src|style|action)=/i.test(page.replaceAll(escapeHtml(EVIL), "")));
  const hrefs = [...page.matchAll(/href="([^"]*)"/g)].map(([, href]) => href);
  assertEquals(hrefs, ["?format=json", "?refresh=2"]);
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(STYLE));
  const hash = btoa(String.fromCharCode(...new Uint8Array(digest)));
  assertStringIncludes(statuszPage.contentSecurityPolicy, `style-src 'sha256-${hash}'`);
  assertStringIncludes(page, `<style>${STYLE}</style>`);
});

Deno.test("state, sentence and the parking card come first, in this order", () => {
  const page = statuszPage.render(buildSnapshot(sources()), undefined);
  const places = [
    "SERVING",
    "Bursting but coping",
    "Request Parking",
    "3 / 1024",
    "Flights",
    "JSON",
  ]
    .map((text) => page.indexOf(text));
  assert(places.every((place) => place > 0), `${places}`);
  assertEquals([...places].sort((a, b) => a - b), places);
});

Deno.test("every part of the document is on the page", () => {
  const page = busy();
  for (
    const text of [
      "0.1.0",
      "router-0",
      "ext_proc",
      "open at signal",
      "RESOURCE_EXHAUSTED",
      "11000",
      "down",
      "rejected",
      "some-rather-long-flag-name-39",
      "command line",
      "oldest 50",
      "420 ms / 3.9 s",
      "how requests failed",
      "permission_denied",
      "failed 171",
      "OTLP",
      "telemetry",
    ]
  ) assertStringIncludes(page, text);
});

Deno.test("telemetry that is off is said", () => {
  const telemetry = () => ({
    on: false,
    prometheus: null,
    otlp: null,
    traces: false,
    log_level: "info",
    log_lines_dropped: 0,
  });
  const page = statuszPage.render(buildSnapshot(sources({ telemetry })), undefined);
  assertStringIncludes(page.replace(/\s+/g, ""), "<dt>telemetry</dt><dd>OFF</dd>");
});

Deno.test("the bar has the width and the colour of the share", () => {
  const table: [number, number, string, string][] = [
    [0, 1024, "used", "0%"],
    [512, 1024, "used", "50%"],
    [900, 1000, "high", "90%"],
    [1024, 1024, "full", "100%"],
    [0, 0, "used", "0%"],
  ];
  for (const [active, max_parked, level, width] of table) {
    const bar = lotBar({ enabled: true, active, max_parked, max_wait: "5s" }).text;
    assertStringIncludes(bar, `class="${level}" width="${width}"`);
  }
});

Deno.test("the chart draws newest at the right, scaled to its top", () => {
  const point = { ...EMPTY_HISTORY.last_minute, parked: 50, served: 100 };
  const chart = historyChart({ slot_s: 10, points: [point, { ...point, parked: 0 }] }).text;
  assertStringIncludes(chart, 'class="parked" points="589.8,50 600,98"');
  assertStringIncludes(chart, 'class="served" points="589.8,2 600,2"');
  assertStringIncludes(chart, "top of the chart = 100");
  assertStringIncludes(chart, "served 200");
  const empty = historyChart({ slot_s: 10, points: [] }).text;
  assertStringIncludes(empty, 'points=""');
  assertStringIncludes(empty, "top of the chart = 1");
});

Deno.test("B67: a page with 100 long entries costs a few milliseconds", () => {
  const snapshot = buildSnapshot(busySources());
  for (let warm = 0; warm < 20; warm++) statuszPage.render(snapshot, undefined);
  const began = performance.now();
  for (let count = 0; count < 50; count++) statuszPage.render(buildSnapshot(busySources()), 2);
  const eachMs = (performance.now() - began) / 50;
  assert(eachMs < 25, `one page takes ${eachMs} ms`);
  assert(busy().length < 300_000, `${busy().length}`);
});
