import type { HttpRequest } from './host.ts';
import { HEADER_BYTES_MAX, HEADER_COUNT_MAX } from './host.ts';

/** The reason to reject a request head. */
export interface HeadError {
  readonly status: number;
  readonly reason: string;
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** Headers that decide framing, target or authority. No reading of a second one is safe. */
const SINGLETON_HEADERS = new Set([
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
const COMMON_HEADERS = new Set([
  ...SINGLETON_HEADERS,
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
export function checkHead(request: HttpRequest): HeadError | undefined {
  if (!METHODS.has(request.method)) return badRequest('unknown method');
  if (!request.path.startsWith('/') || !VALUE.test(request.path)) return badRequest('bad target');
  const { headers } = request;
  if (headers.length > HEADER_COUNT_MAX * 2) return headTooLarge('too many headers');
  const framing: FramingState = { seen: [], length: undefined, encoding: undefined };
  let bytes = 0;
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? '';
    const value = headers[at + 1] ?? '';
    bytes += name.length + value.length;
    const found = checkHeader(name, value, framing);
    if (found !== undefined) return found;
  }
  if (bytes > HEADER_BYTES_MAX) return headTooLarge('head too large');
  if (!framing.seen.includes('host')) return badRequest('no host');
  return checkFraming(request.method, framing.length, framing.encoding);
}

/** State collected from the headers seen so far. */
interface FramingState {
  readonly seen: string[];
  length: string | undefined;
  encoding: string | undefined;
}

function checkHeader(name: string, value: string, deciding: FramingState): HeadError | undefined {
  const isName = COMMON_HEADERS.has(name) || NAME.test(name);
  if (!isName || !VALUE.test(value)) return badRequest('bad header');
  if (!SINGLETON_HEADERS.has(name)) return undefined;
  if (deciding.seen.includes(name)) return badRequest(`repeated ${name}`);
  deciding.seen.push(name);
  if (name === 'content-length') deciding.length = value;
  if (name === 'transfer-encoding') deciding.encoding = value;
  if (name === 'expect' && value.toLowerCase() !== '100-continue') {
    return { status: 417, reason: 'unknown expectation' };
  }
  return undefined;
}

function checkFraming(
  method: string,
  length: string | undefined,
  encoding: string | undefined,
): HeadError | undefined {
  if (length === undefined && encoding === undefined) {
    return WITH_BODY.has(method) ? { status: 411, reason: 'length required' } : undefined;
  }
  if (length !== undefined && encoding !== undefined) return badRequest('two framings');
  if (length !== undefined && !LENGTH.test(length)) return badRequest('bad length');
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked')
    return badRequest('bad encoding');
  return undefined;
}

function badRequest(reason: string): HeadError {
  return { status: 400, reason };
}

function headTooLarge(reason: string): HeadError {
  return { status: 431, reason };
}
