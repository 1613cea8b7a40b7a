/** Renders names and values as a definition list. */
export function renderList(rows: readonly (readonly [string, string])[]): string {
  const lines = rows.map(
    ([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`,
  );
  return `<dl>${lines.join('')}</dl>`;
}

/** Renders rows of texts as a table with column headers. */
export function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const names = head.map((name) => `<th scope="col">${escapeHtml(name)}</th>`).join('');
  const lines = rows.map(
    (cells) => `<tr>${cells.map((one) => `<td>${escapeHtml(one)}</td>`).join('')}</tr>`,
  );
  return `<table><tr>${names}</tr>${lines.join('')}</table>`;
}

/** Invisible or direction-changing characters: controls, joiners, tags. */
const INVISIBLE = /[\p{Cc}\p{Cf}\u{e0000}-\u{e007f}]/gu;

/** Escapes untrusted text for HTML and makes hidden characters visible. */
export function escapeHtml(text: string): string {
  return text
    .replace(INVISIBLE, (letter) =>
      letter === '\n' ? letter : `[U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase()}]`,
    )
    .replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

/** Content of an HTML page; `body` consists of safe markup. */
export interface HtmlPage {
  readonly title: string;
  readonly style: string;
  /** Path of a script of this server. The page must be complete without it. */
  readonly script?: string;
  readonly body: readonly string[];
}

/** Renders a complete page with one style sheet and no external resources. */
export function renderPage({ title, style, script, body }: HtmlPage): string {
  const head = [
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    `<title>${escapeHtml(title)}</title><style>${style}</style>`,
    script === undefined ? '' : `<script type="module" src="${script}"></script>`,
  ].join('');
  return (
    `<!doctype html><html lang="en"><head>${head}</head>` +
    `<body><main><h1>${escapeHtml(title)}</h1>${body.join('')}</main></body></html>`
  );
}
