import { createHash } from 'node:crypto';
import { type HtmlPage, renderPage } from '../../domain/common/markup.ts';
import type { HttpReply } from '../http/host.ts';

/**
 * Builds the reply for a page. Its only style sheet is allowed by hash. Without a script, nothing
 * else loads.
 */
export function htmlReply(page: HtmlPage): HttpReply {
  return {
    status: 200,
    headers: [...pageHeaders(page), 'cache-control', 'no-store', 'vary', 'accept'],
    body: renderPage(page),
  };
}

/** Returns the headers of a page: its type and what it may load. */
export function pageHeaders(page: HtmlPage): readonly string[] {
  return [
    ...['content-type', 'text/html; charset=utf-8'],
    ...['content-security-policy', policyOf(page), 'referrer-policy', 'no-referrer'],
  ];
}

function policyOf({ style, script }: HtmlPage): string {
  return [
    "default-src 'none'",
    ...(script === undefined ? [] : ["script-src 'self'", "connect-src 'self'"]),
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
