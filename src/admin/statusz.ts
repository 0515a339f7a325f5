// The status page for people: one self-contained HTML document, no script. Owner: admin.
// Every value passes escapeHtml; the policy allows nothing but the document itself.
import type { Page } from "./server.ts";
import type { Snapshot } from "./snapshot.ts";

/** Text as HTML text or attribute value. */
export function escapeHtml(value: unknown): string {
  return String(value).replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

/** The page. */
export const statuszPage: Page = {
  contentSecurityPolicy: "default-src 'none'; base-uri 'none'; form-action 'none'",
  render,
};

function render(snapshot: Snapshot, refreshS: number | undefined): string {
  const refresh = refreshS === undefined ? "" : `<meta http-equiv="refresh" content="${refreshS}">`;
  const { parking, state } = snapshot;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">${refresh}
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>atenet-router ${escapeHtml(state)}</title></head><body>
<h1>atenet-router <strong>${escapeHtml(state)}</strong></h1>
<h2>Request Parking</h2>
<p>enabled ${parking.enabled}, active ${parking.active} of ${parking.max_parked}, max wait ${
    escapeHtml(parking.max_wait)
  }</p>
<pre>${escapeHtml(JSON.stringify(snapshot, undefined, 2))}</pre>
</body></html>
`;
}
