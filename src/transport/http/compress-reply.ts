import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { headerOf } from './headers.ts';
import type { HttpReply, HttpRequest } from './host.ts';

/** The shortest body that is compressed, in bytes. Shorter bodies save too little. */
export const COMPRESS_MIN_BYTES = 512;
/** The shortest answer to a call that is compressed, in characters. Shorter ones go out as is. */
export const LONG_REPLY_CHARS = 4_096;

/** A content coding that a reply may use. */
export type ContentCoding = 'br' | 'gzip';

const VARY = 'accept-encoding';
/** Parts of media types that compress well. Most others are already compressed. */
const COMPRESSIBLE_TYPES = ['text/', 'json', 'svg'];
const ZERO_WEIGHT = /^q=0(\.0*)?$/;
const gzipAsync = promisify(gzip);

/** Returns whether a client accepts a coding. No `Accept-Encoding` header means no. */
export function acceptsCoding(request: HttpRequest, coding: ContentCoding): boolean {
  let isAny = false;
  for (const part of (headerOf(request, 'accept-encoding') ?? '').split(',')) {
    const [name = '', ...rules] = part.split(';').map((text) => text.trim().toLowerCase());
    const isAccepted = !rules.some((rule) => ZERO_WEIGHT.test(rule));
    if (name === coding) return isAccepted;
    if (name === '*') isAny = isAccepted;
  }
  return isAny;
}

/**
 * Compresses a long text reply off the main thread, for a client that accepts gzip. Returns every
 * other reply synchronously and unchanged, except that a compressible one gets `Vary`.
 */
export function compressReply(
  reply: HttpReply,
  request: HttpRequest,
): HttpReply | Promise<HttpReply> {
  const { headers = [], body } = reply;
  if (body === undefined || Buffer.byteLength(body) < COMPRESS_MIN_BYTES) return reply;
  if (findHeader(headers, 'content-encoding') !== undefined) return reply;
  const type = findHeader(headers, 'content-type') ?? '';
  if (!COMPRESSIBLE_TYPES.some((text) => type.includes(text))) return reply;
  const varied = { ...reply, headers: addVary(headers) };
  if (!acceptsCoding(request, 'gzip')) return varied;
  return gzipAsync(body).then((bytes) => ({
    ...varied,
    headers: [...varied.headers.map(weakenEtag), 'content-encoding', 'gzip'],
    body: bytes,
  }));
}

function findHeader(headers: readonly string[], name: string): string | undefined {
  const at = headers.findIndex((text, index) => index % 2 === 0 && text === name);
  return at < 0 ? undefined : headers[at + 1];
}

function addVary(headers: readonly string[]): readonly string[] {
  const known = findHeader(headers, 'vary');
  if (known === undefined) return [...headers, 'vary', VARY];
  if (known.includes(VARY)) return headers;
  return headers.map((text, at) => (headers[at - 1] === 'vary' ? `${known}, ${VARY}` : text));
}

/** Marks a strong ETag as weak: compression changes the bytes that it promises. */
function weakenEtag(text: string, at: number, headers: readonly string[]): string {
  const isStrong = at % 2 === 1 && headers[at - 1] === 'etag' && !text.startsWith('W/');
  return isStrong ? `W/${text}` : text;
}
