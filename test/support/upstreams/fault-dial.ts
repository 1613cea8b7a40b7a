import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';

/** What an upstream does in place of its answer. */
export const FAULTS = [
  'rate_limit',
  'forbidden_page',
  'unavailable_for_legal_reasons',
  'server_error',
  'hang',
  'reset',
  'truncated',
  'html_for_json',
  'wrong_schema',
  'huge',
  'gzip_bomb',
  'slow_drip',
  'redirect_loop',
  'redirect_to_private',
  'stale',
  'skewed_clock',
] as const;

/** See {@link FAULTS}. */
export type UpstreamFault = (typeof FAULTS)[number];

/** Seconds that `rate_limit` asks to wait. */
export const RETRY_AFTER_S = 7;
/** How far off the clock of a stale or skewed upstream is, in milliseconds. */
export const CLOCK_OFF_MS = 3_600_000;

const PAGE = '<!doctype html><title>Request Rate Threshold Exceeded</title><p>Access denied.';
/** Packs to a few KB and unpacks to 32 MB. */
const bomb = gzipSync(Buffer.alloc(32_000_000, 0x20), { level: 9 });

/** Answers as the fault says. `body` is what the answer would have been, of that type. */
export function answerFault(
  fault: UpstreamFault,
  response: ServerResponse,
  body: string,
  type = 'application/json',
): void {
  const json = { 'content-type': 'application/json' };
  const own = { 'content-type': type };
  const page = { 'content-type': 'text/html' };
  const all: Readonly<Record<UpstreamFault, () => void>> = {
    rate_limit: () => end(response, 429, { 'retry-after': String(RETRY_AFTER_S) }, 'slow down'),
    forbidden_page: () => end(response, 403, page, PAGE),
    unavailable_for_legal_reasons: () => end(response, 451, json, '{"msg":"restricted"}'),
    server_error: () => end(response, 500, json, '{"error":"down"}'),
    hang: () => undefined,
    reset: () => response.socket?.resetAndDestroy(),
    truncated: () => end(response, 200, own, body.slice(0, Math.floor(body.length / 2))),
    html_for_json: () => end(response, 200, page, PAGE),
    wrong_schema: () => end(response, 200, json, '{"something":["else",{"price":null}]}'),
    huge: () => end(response, 200, own, `"${'x'.repeat(6_000_000)}"`),
    gzip_bomb: () => {
      response.writeHead(200, { ...own, 'content-encoding': 'gzip' });
      response.end(bomb);
    },
    slow_drip: () => drip(response, type),
    redirect_loop: () => end(response, 302, { location: response.req.url ?? '/' }, ''),
    redirect_to_private: () => end(response, 302, { location: 'http://169.254.169.254/' }, ''),
    stale: () => end(response, 200, own, body),
    skewed_clock: () => end(response, 200, own, body),
  };
  all[fault]();
}

/** How far off the times in an answer are under a fault, in milliseconds. */
export function clockOffMs(fault: UpstreamFault | undefined): number {
  if (fault === 'stale') return -CLOCK_OFF_MS;
  return fault === 'skewed_clock' ? CLOCK_OFF_MS : 0;
}

function end(
  response: ServerResponse,
  status: number,
  headers: Record<string, string>,
  body: string,
): void {
  response.writeHead(status, headers);
  response.end(body);
}

function drip(response: ServerResponse, type: string): void {
  response.writeHead(200, { 'content-type': type }).flushHeaders();
  const timer = setInterval(() => response.write(' '), 50);
  response.on('close', () => clearInterval(timer));
}
