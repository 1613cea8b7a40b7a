import { AppError, errorBody } from '../../domain/error.ts';
import type { HttpReply } from '../http/host.ts';
import { errorJson, RPC } from './json-rpc.ts';

/** Deepest nesting of a message. */
export const JSON_DEPTH_MAX = 64;
/** Most members and elements of a message, over all its objects and lists. */
export const JSON_MEMBERS_MAX = 20_000;
/** A body up to this long, in bytes, cannot be bad enough to be looked at. */
const HARMLESS_BYTES = 1_024;

/** How far the end of a string is looked for byte by byte. */
const NEAR_BYTES = 64;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPENING_LIST = 0x5b;
/** `[` and `{`, `]` and `}`: they differ in one bit. */
const CASE_BIT = 0x20;
const OPENING = 0x7b;
const CLOSING = 0x7d;

/**
 * Looks over JSON before it is parsed: parsing four megabytes of brackets holds the whole server up
 * for seconds.
 *
 * @returns What is wrong with it, or nothing. Whether it is JSON at all is the parser's to say.
 */
export function boundsFault(body: Uint8Array): AppError | undefined {
  if (body.byteLength <= HARMLESS_BYTES) return undefined;
  const { deepest, members } = measure(body);
  if (deepest > JSON_DEPTH_MAX) return fault('depth', JSON_DEPTH_MAX);
  return members > JSON_MEMBERS_MAX ? fault('members', JSON_MEMBERS_MAX) : undefined;
}

/** The answer to a body that is not parsed. */
export function boundsReply(body: Uint8Array): HttpReply | undefined {
  const found = boundsFault(body);
  if (found === undefined) return undefined;
  const headers = ['content-type', 'application/json'];
  return { status: 413, headers, body: boundsJson(found) };
}

/** The same as a JSON-RPC response. */
export function boundsJson(found: AppError): string {
  return errorJson(null, RPC.INVALID_REQUEST, found.message, errorBody(found));
}

/** Counts until the end, or until a bound is passed. */
function measure(body: Uint8Array): { readonly deepest: number; readonly members: number } {
  let depth = 0;
  let deepest = 0;
  let members = 0;
  const isWithin = () => deepest <= JSON_DEPTH_MAX && members <= JSON_MEMBERS_MAX;
  for (let at = 0; at < body.byteLength && isWithin(); at += 1) {
    const byte = body[at] as number;
    if (byte === QUOTE) at = endOfString(body, at + 1);
    else if (byte === COMMA) members += 1;
    else if (byte >= OPENING_LIST) {
      const step = stepOf(byte);
      depth += step;
      if (step > 0) members += 1;
      deepest = Math.max(deepest, depth);
    }
  }
  return { deepest, members };
}

function stepOf(byte: number): 1 | 0 | -1 {
  const bracket = byte | CASE_BIT;
  if (bracket === OPENING) return 1;
  return bracket === CLOSING ? -1 : 0;
}

/** Where the string ends, at its quote. */
function endOfString(body: Uint8Array, from: number): number {
  let at = from;
  while (at < body.byteLength) {
    const near = at + NEAR_BYTES;
    while (at < near && body[at] !== QUOTE) at += body[at] === BACKSLASH ? 2 : 1;
    if (at < near) return at;
    // A long one: leap to the next quote, and over the escapes before it.
    const quote = body.indexOf(QUOTE, at);
    if (quote < 0) break;
    if (!isEscaped(body, quote, at)) return quote;
    at = quote + 1;
  }
  return body.byteLength;
}

function isEscaped(body: Uint8Array, quote: number, from: number): boolean {
  let before = quote;
  while (before > from && body[before - 1] === BACKSLASH) before -= 1;
  return (quote - before) % 2 === 1;
}

function fault(limit: 'depth' | 'members', allowed: number): AppError {
  const message = `The body has more than ${allowed} ${limit === 'depth' ? 'levels' : 'members'}.`;
  return new AppError('BODY_TOO_LARGE', { message, data: { limit, allowed } });
}
