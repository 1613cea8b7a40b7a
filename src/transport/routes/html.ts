import { createHash } from 'node:crypto';
import type { HttpReply } from '../http/host.ts';

/** A page before it is written: everything in `body` is markup already. */
export interface HtmlPage {
  readonly title: string;
  readonly style: string;
  readonly body: readonly string[];
}

/** A page without any script: its one style sheet is allowed by its hash, and nothing is loaded. */
export function htmlReply({ title, style, body }: HtmlPage): HttpReply {
  const head = [
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    `<title>${shown(title)}</title><style>${style}</style>`,
  ].join('');
  return {
    status: 200,
    headers: [
      ...['content-type', 'text/html; charset=utf-8', 'cache-control', 'no-store'],
      ...['content-security-policy', policyOf(style), 'referrer-policy', 'no-referrer'],
      ...['x-content-type-options', 'nosniff', 'vary', 'accept'],
    ],
    body:
      `<!doctype html><html lang="en"><head>${head}</head>` +
      `<body><h1>${shown(title)}</h1>${body.join('')}</body></html>`,
  };
}

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

function policyOf(style: string): string {
  return [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
