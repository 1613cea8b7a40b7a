/** Names and values as a list of terms. */
export function list(rows: readonly (readonly [string, string])[]): string {
  const lines = rows.map(([name, value]) => `<dt>${shown(name)}</dt><dd>${shown(value)}</dd>`);
  return `<dl>${lines.join('')}</dl>`;
}

/** Rows of texts under their names. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const names = head.map((name) => `<th scope="col">${shown(name)}</th>`).join('');
  const lines = rows.map(
    (cells) => `<tr>${cells.map((one) => `<td>${shown(one)}</td>`).join('')}</tr>`,
  );
  return `<table><tr>${names}</tr>${lines.join('')}</table>`;
}

/** Characters that nobody sees, or that turn the line around: controls, joiners, tags. */
const HIDDEN = /[\p{Cc}\p{Cf}\u{e0000}-\u{e007f}]/gu;

/** A stranger's text as text: no markup, and what is hidden in it is made visible. */
export function shown(text: string): string {
  return text
    .replace(HIDDEN, (letter) =>
      letter === '\n' ? letter : `[U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase()}]`,
    )
    .replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

/** A page before it is written: everything in `body` is markup already. */
export interface HtmlPage {
  readonly title: string;
  readonly style: string;
  readonly body: readonly string[];
}

/** A whole page as text: one style sheet, no script, and nothing that is loaded. */
export function pageText({ title, style, body }: HtmlPage): string {
  const head = [
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    `<title>${shown(title)}</title><style>${style}</style>`,
  ].join('');
  return (
    `<!doctype html><html lang="en"><head>${head}</head>` +
    `<body><main><h1>${shown(title)}</h1>${body.join('')}</main></body></html>`
  );
}
