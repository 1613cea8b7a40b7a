import { createHash } from 'node:crypto';
import { type HtmlPage, renderPage } from '../../domain/common/markup.ts';
import type { HttpReply } from '../http/host.ts';

/**
 * Builds the reply for a page without scripts. Its only style sheet is allowed by hash, and nothing
 * else loads.
 */
export function htmlReply(page: HtmlPage): HttpReply {
  return {
    status: 200,
    headers: [
      ...['content-type', 'text/html; charset=utf-8', 'cache-control', 'no-store'],
      ...['content-security-policy', policyOf(page.style), 'referrer-policy', 'no-referrer'],
      ...['x-content-type-options', 'nosniff', 'vary', 'accept'],
    ],
    body: renderPage(page),
  };
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
