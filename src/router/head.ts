import {
  type Field,
  findTokenEnd,
  findValueEnd,
  parseFields,
  type Refusal,
  trimBlanks,
} from './fields.ts';

/** Maximum bytes of a head, including its start line. */
export const HEAD_BYTES_MAX = 32_768;
const TARGET_CHARS_MAX = 8_192;
const METHOD_CHARS_MAX = 32;

/** How the end of a body is determined. */
export type Framing =
  | { readonly kind: 'none' }
  | { readonly kind: 'length'; readonly bytes: number }
  | { readonly kind: 'chunked' }
  /** By the end of the connection; only for responses. */
  | { readonly kind: 'close' };

/** Common parts of request and response heads. */
export interface Head {
  /** As received, without the empty line. */
  readonly text: string;
  /** Position where its first line ends. */
  readonly startEnd: number;
  /** The fields that the router interprets. */
  readonly fields: readonly Field[];
  readonly framing: Framing;
  /** Names of hop-by-hop fields, as listed in `Connection`. */
  readonly hops: readonly string[];
  readonly keepsAlive: boolean;
}

/** The head of a request that can be forwarded unambiguously. */
export interface RequestHead extends Head {
  readonly method: string;
  /** Path and query, starting with a slash; or `*`. */
  readonly target: string;
  /** 0 or 1 of HTTP/1.x. */
  readonly minor: number;
  /** Requested host name, in lower case, without the port. */
  readonly host: string;
  /** Host as received, with its port. */
  readonly authority: string;
  /** The protocol that the client wants to switch to. */
  readonly upgrade: string | undefined;
}

/** The head of a response. */
export interface ResponseHead extends Head {
  readonly status: number;
  readonly reason: string;
}

const AUTHORITY = /^([a-z0-9.-]{1,253}|\[[0-9a-f:.]+\])(:[0-9]{1,5})?$/;
const LENGTH = /^[0-9]{1,15}$/;
const STATUS = /^[1-9][0-9]{2}$/;
/** Common values of `Connection`, already parsed. */
const COMMON_HOPS = new Map(
  ['keep-alive', 'Keep-Alive', 'close', 'Close'].map((said) => [said, [said.toLowerCase()]]),
);
/** Fields that define the end or the target of a message are never hop-by-hop. */
const END_TO_END = new Set(['host', 'content-length', 'transfer-encoding']);
const VERSION = 'HTTP/1.';
const SPACE = 32;
const ZERO = 48;
const NO_BODY: Framing = { kind: 'none' };
const NO_HOPS: readonly string[] = [];

/**
 * Parses the head of a request strictly. Anything that two parsers could interpret differently is
 * rejected and closes the connection (RFC 9112, sections 3, 5, 6 and 11.2).
 *
 * @param text - The head as Latin-1, without the empty line.
 */
export function parseRequestHead(text: string): RequestHead | Refusal {
  const start = parseRequestLine(text);
  if ('why' in start) return start;
  const { method, target, minor, startEnd } = start;
  const refusal = checkTarget(method, target);
  if (refusal !== undefined) return refusal;
  const fields = parseFields(text, startEnd);
  if ('why' in fields) return fields;
  const authority = singleValue(fields, 'host')?.toLowerCase() ?? '';
  const host = AUTHORITY.exec(authority)?.[1];
  if (host === undefined) return badRequest('the request must have exactly one valid Host field');
  const framing = parseFraming(fields, minor);
  if ('why' in framing) return framing;
  const hops = parseHops(fields);
  if (hops === undefined) return badRequest('Connection lists a field that must not be hop-by-hop');
  const upgrade = hops.includes('upgrade') ? singleValue(fields, 'upgrade') : undefined;
  if (upgrade !== undefined && framing.kind !== 'none')
    return badRequest('an upgrade cannot have a body');
  return {
    text,
    startEnd,
    fields,
    framing,
    hops,
    keepsAlive: isPersistent(hops, minor),
    method,
    target,
    minor,
    host,
    authority,
    upgrade,
  };
}

/**
 * Parses the head of a response just as strictly.
 *
 * @param method - Method of the request that it answers.
 */
export function parseResponseHead(text: string, method: string): ResponseHead | Refusal {
  const start = parseStatusLine(text);
  if ('why' in start) return start;
  const { status, reason, minor, startEnd } = start;
  const fields = parseFields(text, startEnd);
  if ('why' in fields) return fields;
  const declared = parseFraming(fields, minor);
  if ('why' in declared) return declared;
  const hops = parseHops(fields);
  if (hops === undefined) return badRequest('Connection lists a field that must not be hop-by-hop');
  const hasNoBody = method === 'HEAD' || status < 200 || status === 204 || status === 304;
  const endsWithConnection =
    declared.kind === 'none' && singleValue(fields, 'content-length') === undefined;
  const framing: Framing = hasNoBody ? NO_BODY : endsWithConnection ? { kind: 'close' } : declared;
  const keepsAlive = framing.kind !== 'close' && isPersistent(hops, minor);
  return { text, startEnd, fields, framing, hops, keepsAlive, status, reason };
}

/** Parses `METHOD target HTTP/1.x` with single spaces. */
function parseRequestLine(text: string) {
  const methodEnd = findTokenEnd(text, 0);
  const from = methodEnd + 1;
  const to = findVisibleEnd(text, from);
  const startEnd = to + 1 + VERSION.length + 1;
  const minor = parseMinorVersion(text, to + 1);
  const isLine =
    methodEnd > 0 &&
    methodEnd <= METHOD_CHARS_MAX &&
    text.charCodeAt(methodEnd) === SPACE &&
    to > from &&
    text.charCodeAt(to) === SPACE;
  if (!isLine || minor === undefined) return badRequest('the request line is not valid HTTP/1.1');
  return { method: text.slice(0, methodEnd), target: text.slice(from, to), minor, startEnd };
}

/** Parses `HTTP/1.x 200 reason`; the reason is optional. */
function parseStatusLine(text: string) {
  const minor = parseMinorVersion(text, 0);
  const codeEnd = VERSION.length + 5;
  const code = text.slice(codeEnd - 3, codeEnd);
  const hasReason = text.charCodeAt(codeEnd) === SPACE;
  const startEnd = hasReason ? findValueEnd(text, codeEnd + 1) : codeEnd;
  const isLine = text.charCodeAt(codeEnd - 4) === SPACE && STATUS.test(code);
  if (!isLine || minor === undefined) return badRequest('the status line is not valid HTTP/1.1');
  return { status: Number(code), reason: text.slice(codeEnd + 1, startEnd), minor, startEnd };
}

function parseMinorVersion(text: string, at: number): number | undefined {
  if (!text.startsWith(VERSION, at)) return undefined;
  const minor = text.charCodeAt(at + VERSION.length) - ZERO;
  return minor === 0 || minor === 1 ? minor : undefined;
}

/** Returns the end of a run of visible ASCII characters. */
function findVisibleEnd(text: string, start: number): number {
  let at = start;
  while (at < text.length && isVisible(text.charCodeAt(at))) at += 1;
  return at;
}

function isVisible(code: number): boolean {
  return code > SPACE && code < 127;
}

function checkTarget(method: string, target: string): Refusal | undefined {
  if (method === 'CONNECT') return { status: 405, why: 'CONNECT is not supported' };
  if (target.length > TARGET_CHARS_MAX) return { status: 414, why: 'the target is too long' };
  if (target.startsWith('/') || (target === '*' && method === 'OPTIONS')) return undefined;
  return badRequest('the request target must be a path');
}

function parseFraming(fields: readonly Field[], minor: number): Framing | Refusal {
  const lengths = countFields(fields, 'content-length');
  const encodings = countFields(fields, 'transfer-encoding');
  if (lengths > 1) return badRequest('Content-Length occurs twice');
  if (encodings > 1) return badRequest('Transfer-Encoding occurs twice');
  if (encodings === 0) return parseLength(singleValue(fields, 'content-length'));
  if (lengths > 0) return badRequest('Content-Length and Transfer-Encoding must not be combined');
  if (minor === 0) return badRequest('HTTP/1.0 does not support Transfer-Encoding');
  if (singleValue(fields, 'transfer-encoding')?.toLowerCase() === 'chunked')
    return { kind: 'chunked' };
  return { status: 501, why: 'the only supported transfer coding is chunked' };
}

function parseLength(length: string | undefined): Framing | Refusal {
  if (length === undefined) return NO_BODY;
  if (!LENGTH.test(length)) return badRequest('Content-Length is not a number');
  const bytes = Number(length);
  return bytes === 0 ? NO_BODY : { kind: 'length', bytes };
}

function parseHops(fields: readonly Field[]): readonly string[] | undefined {
  let hops = NO_HOPS;
  for (const { name, value } of fields) {
    if (name !== 'connection') continue;
    const named = COMMON_HOPS.get(value) ?? splitList(value);
    if (named.some((hop) => END_TO_END.has(hop))) return undefined;
    hops = hops === NO_HOPS ? named : [...hops, ...named];
  }
  return hops;
}

function splitList(value: string): readonly string[] {
  const parts = value.toLowerCase().split(',');
  return parts.map((part) => trimBlanks(part, 0, part.length)).filter((part) => part !== '');
}

function isPersistent(hops: readonly string[], minor: number): boolean {
  return minor === 1 ? !hops.includes('close') : hops.includes('keep-alive');
}

/** Returns the value of a field that occurs once; `undefined` if it is missing or repeated. */
function singleValue(fields: readonly Field[], name: string): string | undefined {
  let value: string | undefined;
  for (const field of fields) {
    if (field.name !== name) continue;
    if (value !== undefined) return undefined;
    value = field.value;
  }
  return value;
}

function countFields(fields: readonly Field[], wanted: string): number {
  let count = 0;
  for (const { name } of fields) if (name === wanted) count += 1;
  return count;
}

function badRequest(why: string): Refusal {
  return { status: 400, why };
}
