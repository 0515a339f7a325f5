// HTML that is safe by construction: what is put into a template is text and gets escaped, unless it
// is HTML that was made here. Owner: admin.

/** Markup made by {@link html}. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type HtmlValue = Html | string | number | boolean | null | undefined | readonly HtmlValue[];

/** Tagged template: values are escaped, lists joined, null and undefined are nothing. */
export function html(parts: TemplateStringsArray, ...values: HtmlValue[]): Html {
  let text = parts[0] ?? "";
  values.forEach((value, at) => text += markup(value) + (parts[at + 1] ?? ""));
  return new Html(text);
}

/** Text as HTML text or quoted attribute value. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"'`]/g, (char) => `&#${char.charCodeAt(0)};`);
}

function markup(value: HtmlValue): string {
  if (value instanceof Html) return value.text;
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(markup).join("");
  return escapeHtml(String(value));
}

/** A long name with its middle left out; whole in the title. At most `max` characters are shown. */
export function middleCut(text: string, max = 28): Html {
  const chars = [...text];
  if (chars.length <= max) return html`${text}`;
  const head = Math.ceil((max - 1) / 2);
  const tail = max - 1 - head;
  const shown = `${chars.slice(0, head).join("")}…${chars.slice(-tail).join("")}`;
  return html`<span title="${text}">${shown}</span>`;
}
