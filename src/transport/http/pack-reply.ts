import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { headerOf } from './headers.ts';
import type { HttpReply, HttpRequest } from './host.ts';

/** The shortest body that is compressed, in bytes: below this little is saved. */
export const PACKED_FROM_BYTES = 512;

/** How a body can be written on the wire beside as it is. */
export type Coding = 'br' | 'gzip';

const VARY = 'accept-encoding';
/** Parts of types that compress well; the rest mostly is compressed already. */
const TEXTS = ['text/', 'json', 'svg'];
const NO = /^q=0(\.0*)?$/;
const compress = promisify(gzip);

/** Tells whether a client takes a coding. One that does not say so takes none. */
export function acceptsCoding(request: HttpRequest, coding: Coding): boolean {
  let isAny = false;
  for (const part of (headerOf(request, 'accept-encoding') ?? '').split(',')) {
    const [name = '', ...rules] = part.split(';').map((text) => text.trim().toLowerCase());
    const isTaken = !rules.some((rule) => NO.test(rule));
    if (name === coding) return isTaken;
    if (name === '*') isAny = isTaken;
  }
  return isAny;
}

/**
 * Compresses a long text for a client that takes gzip, beside the main thread. Everything else is
 * given back at once and as it is.
 */
export function packReply(reply: HttpReply, request: HttpRequest): HttpReply | Promise<HttpReply> {
  const { headers = [], body } = reply;
  if (body === undefined || Buffer.byteLength(body) < PACKED_FROM_BYTES) return reply;
  if (readValue(headers, 'content-encoding') !== undefined) return reply;
  const type = readValue(headers, 'content-type') ?? '';
  if (!TEXTS.some((text) => type.includes(text))) return reply;
  const varied = { ...reply, headers: vary(headers) };
  if (!acceptsCoding(request, 'gzip')) return varied;
  return compress(body).then((bytes) => ({
    ...varied,
    headers: [...varied.headers.map(weaken), 'content-encoding', 'gzip'],
    body: bytes,
  }));
}

function readValue(headers: readonly string[], name: string): string | undefined {
  const at = headers.findIndex((text, index) => index % 2 === 0 && text === name);
  return at < 0 ? undefined : headers[at + 1];
}

function vary(headers: readonly string[]): readonly string[] {
  const known = readValue(headers, 'vary');
  if (known === undefined) return [...headers, 'vary', VARY];
  if (known.includes(VARY)) return headers;
  return headers.map((text, at) => (headers[at - 1] === 'vary' ? `${known}, ${VARY}` : text));
}

/** A tag that promises equal bytes is not true of a compressed form. */
function weaken(text: string, at: number, headers: readonly string[]): string {
  const isStrong = at % 2 === 1 && headers[at - 1] === 'etag' && !text.startsWith('W/');
  return isStrong ? `W/${text}` : text;
}
