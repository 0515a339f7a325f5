// The status page for people: one self-contained HTML document, readable on a phone at night, no
// script, nothing loaded from anywhere. Place in the flow: the status server, for browsers.
// Owner: admin.
import { html } from "./html.ts";
import type { Page } from "./server.ts";
import type { Snapshot } from "./snapshot.ts";
import {
  drainCard,
  minuteCard,
  neighboursCard,
  parkingCard,
  sentence,
  topBar,
} from "./statusz_cards.ts";
import { STYLE, styleSource } from "./statusz_style.ts";
import { flightsCard, queriesCard, settingsCard } from "./statusz_tables.ts";

/** The page. Its policy allows its own style sheet and nothing else. */
export const statuszPage: Page = {
  contentSecurityPolicy: [
    "default-src 'none'",
    `style-src ${await styleSource()}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  render,
};

function render(snapshot: Snapshot, refreshS: number | undefined): string {
  const refresh = refreshS === undefined
    ? ""
    : html`<meta http-equiv="refresh" content="${refreshS}">`;
  const style = `<style>${STYLE}</style>`;
  const head = html`
    <!doctype html>
    <html lang="en">
      <head><meta charset="utf-8">${refresh}
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${snapshot.state} · ${snapshot.host} · atenet-router</title>
  `;
  const body = html`
    </head>
    <body>
    ${topBar(snapshot)}
    ${sentence(snapshot)}
    ${parkingCard(snapshot)}
    ${minuteCard(snapshot)}
    ${flightsCard(snapshot)}
    ${neighboursCard(snapshot)}
    ${drainCard(snapshot)}
    ${queriesCard(snapshot)}
    ${settingsCard(snapshot)}
    <p class="soft"><a href="?format=json">JSON</a> · ${refreshS === undefined
      ? html`<a href="?refresh=2">refresh every 2 s</a>`
      : html`<a href="?">stop refreshing</a>`}</p>
    </body>
    </html>
  `;
  return (head.text + style + body.text).trimStart();
}
