// The status page in a real browser (Debian's chromium). Screenshots are left in .tmp/.
import { assert, assertEquals } from "@std/assert";
import type { Browser, Page } from "playwright-core";
import { buildSnapshot } from "../../src/admin/build_snapshot.ts";
import { DrainWaiters } from "../../src/admin/drain_wait.ts";
import { type AdminServer, serveAdmin } from "../../src/admin/server.ts";
import type { SnapshotSources } from "../../src/admin/sources.ts";
import { statuszPage } from "../../src/admin/statusz.ts";
import { monotonicClock } from "../../src/process/platform.ts";
import { busySources } from "../admin/_busy.ts";
import { sources } from "../admin/_sources.ts";
import { missing, onPath } from "./_prometheus.ts";

const SHOTS = new URL("../../.tmp/", import.meta.url).pathname;

function served(given: () => SnapshotSources): AdminServer {
  const clock = monotonicClock();
  return serveAdmin({
    hostname: "127.0.0.1",
    port: 0,
    clock,
    ready: () => true,
    snapshot: () => buildSnapshot(given()),
    page: statuszPage,
    waiters: new DrainWaiters(clock, 1_000),
    onFault: (what, error) => console.error(what, error),
  });
}

async function withBrowser(work: (browser: Browser) => Promise<void>): Promise<void> {
  const { chromium } = await import("playwright-core");
  const browser = await chromium.launch({
    executablePath: onPath("chromium") ?? "",
    args: ["--no-sandbox", "--disable-dev-shm-usage"],
  });
  try {
    await work(browser);
  } finally {
    await browser.close();
  }
}

interface Look {
  readonly width: number;
  readonly scheme: "dark" | "light";
}

/** Opens the page without JavaScript; anything that the policy stops or that is loaded is kept. */
async function open(browser: Browser, url: string, look: Look) {
  const context = await browser.newContext({
    viewport: { width: look.width, height: 800 },
    colorScheme: look.scheme,
    javaScriptEnabled: false,
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => requests.push(new URL(request.url()).pathname));
  await page.goto(url);
  return { context, page, complaints, requests };
}

/** Width the content needs, in CSS pixels. */
async function contentWidth(page: Page): Promise<number> {
  const boxes = await page.locator("section, header, .sentence").all();
  const rights = await Promise.all(boxes.map(async (box) => {
    const bounds = await box.boundingBox();
    return bounds ? bounds.x + bounds.width : 0;
  }));
  return Math.max(...rights);
}

async function onPhones(browser: Browser): Promise<void> {
  const server = served(busySources);
  const url = `http://127.0.0.1:${server.port}/statusz`;
  for (const scheme of ["dark", "light"] as const) {
    for (const width of [360, 1200]) {
      const { context, page, complaints, requests } = await open(browser, url, { width, scheme });
      await page.screenshot({ path: `${SHOTS}statusz-${scheme}-${width}.png`, fullPage: true });
      assertEquals(complaints, []);
      assertEquals(requests.filter((path) => path !== "/favicon.ico"), ["/statusz"]);
      assert(await contentWidth(page) <= width, `${width}: ${await contentWidth(page)}`);
      const state = await page.locator(".state").innerText();
      const parking = await page.locator("#parking").innerText();
      assertEquals(state, "SERVING");
      assert(parking.includes("1024 / 1024"), parking);
      const top = await page.locator("#parking").boundingBox();
      assert(top && top.y < 800, "the card is on the first screen");
      await context.close();
    }
  }
  await server.close();
}

async function styled(browser: Browser): Promise<void> {
  const server = served(busySources);
  const url = `http://127.0.0.1:${server.port}/statusz`;
  const colours: string[] = [];
  for (const scheme of ["dark", "light"] as const) {
    const context = await browser.newContext({ colorScheme: scheme });
    const page = await context.newPage();
    await page.goto(url);
    colours.push(await page.evaluate("getComputedStyle(document.body).backgroundColor"));
    assertEquals(await page.evaluate("document.scripts.length"), 0);
    const line = await page.evaluate(
      "getComputedStyle(document.querySelector('polyline.parked')).stroke",
    );
    assert(line !== "none", "the style sheet is in force");
    await context.close();
  }
  assertEquals(colours, ["rgb(16, 19, 23)", "rgb(255, 255, 255)"]);
  await server.close();
}

async function refreshes(browser: Browser): Promise<void> {
  let asked = 0;
  const server = served(() => (asked++, sources()));
  const url = `http://127.0.0.1:${server.port}/statusz`;
  const { context, page } = await open(browser, `${url}?refresh=1`, { width: 360, scheme: "dark" });
  const endMs = performance.now() + 15_000;
  while (asked < 3 && performance.now() < endMs) await page.waitForTimeout(100);
  assert(asked >= 3, `${asked} pages in 15 s`);
  await page.locator("text=stop refreshing").click();
  assert(!(await page.content()).includes("http-equiv"));
  await page.locator("text=Configuration").click();
  assert(await page.locator("#settings table").isVisible());
  await context.close();
  await server.close();
}

/** Chromium's own helpers outlive single tests: the leak checks are for our own code. */
const BROWSER = {
  ignore: missing("chromium"),
  sanitizeOps: false,
  sanitizeResources: false,
};

Deno.test({
  ...BROWSER,
  name: "the page fits 360 px and a desktop, dark and light, without JavaScript",
  fn: () => withBrowser(onPhones),
});

Deno.test({
  ...BROWSER,
  name: "the strict policy lets the page's own style in",
  fn: () => withBrowser(styled),
});

Deno.test({
  ...BROWSER,
  name: "the page refreshes when asked and stops when told",
  fn: () => withBrowser(refreshes),
});
