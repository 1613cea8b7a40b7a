import type { HttpRequest } from './host.ts';
import { HEADER_BYTES_MAX, HEADER_COUNT_MAX } from './host.ts';

/** The reason to reject a request head. */
export interface HeadFault {
  readonly status: number;
  readonly reason: string;
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** Headers that decide framing, target or authority. No reading of a second one is safe. */
const SINGLE = new Set([
  'authorization',
  'content-length',
  'content-type',
  'expect',
  'host',
  'last-event-id',
  'mcp-protocol-version',
  'mcp-session-id',
  'origin',
  'transfer-encoding',
]);
/** Common header names, which skip the name check. */
const USUAL = new Set([
  ...SINGLE,
  'accept',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'connection',
  'payment-signature',
  'sec-fetch-mode',
  'user-agent',
]);
const NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
// Visible ASCII, space and tab: the two engines decode other bytes differently.
const VALUE = /^[\t\x20-\x7e]*$/;
const LENGTH = /^\d{1,15}$/;
/** Methods that must declare the length of their body. */
const WITH_BODY = new Set(['POST', 'PUT', 'PATCH']);

/**
 * Finds ambiguities that two readers of one request could resolve differently. Both engines reject
 * such a request and close the connection, so that no second request can hide in it.
 *
 * @returns `undefined` when the head is unambiguous.
 */
export function vetHead(request: HttpRequest): HeadFault | undefined {
  if (!METHODS.has(request.method)) return fault('unknown method');
  if (!request.path.startsWith('/') || !VALUE.test(request.path)) return fault('bad target');
  const { headers } = request;
  if (headers.length > HEADER_COUNT_MAX * 2) return tooLarge('too many headers');
  const deciding: Deciding = { seen: [], length: undefined, encoding: undefined };
  let bytes = 0;
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? '';
    const value = headers[at + 1] ?? '';
    bytes += name.length + value.length;
    const found = vetHeader(name, value, deciding);
    if (found !== undefined) return found;
  }
  if (bytes > HEADER_BYTES_MAX) return tooLarge('head too large');
  if (!deciding.seen.includes('host')) return fault('no host');
  return vetFraming(request.method, deciding.length, deciding.encoding);
}

/** State collected from the headers seen so far. */
interface Deciding {
  readonly seen: string[];
  length: string | undefined;
  encoding: string | undefined;
}

function vetHeader(name: string, value: string, deciding: Deciding): HeadFault | undefined {
  const isName = USUAL.has(name) || NAME.test(name);
  if (!isName || !VALUE.test(value)) return fault('bad header');
  if (!SINGLE.has(name)) return undefined;
  if (deciding.seen.includes(name)) return fault(`repeated ${name}`);
  deciding.seen.push(name);
  if (name === 'content-length') deciding.length = value;
  if (name === 'transfer-encoding') deciding.encoding = value;
  if (name === 'expect' && value.toLowerCase() !== '100-continue') {
    return { status: 417, reason: 'unknown expectation' };
  }
  return undefined;
}

function vetFraming(
  method: string,
  length: string | undefined,
  encoding: string | undefined,
): HeadFault | undefined {
  if (length === undefined && encoding === undefined) {
    return WITH_BODY.has(method) ? { status: 411, reason: 'length required' } : undefined;
  }
  if (length !== undefined && encoding !== undefined) return fault('two framings');
  if (length !== undefined && !LENGTH.test(length)) return fault('bad length');
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked') return fault('bad encoding');
  return undefined;
}

function fault(reason: string): HeadFault {
  return { status: 400, reason };
}

function tooLarge(reason: string): HeadFault {
  return { status: 431, reason };
}
