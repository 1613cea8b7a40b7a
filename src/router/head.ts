/** Most bytes of a head, with its start line. */
export const HEAD_BYTES_MAX = 32_768;
/** Most fields of a head. */
export const FIELDS_MAX = 100;
const TARGET_CHARS_MAX = 8_192;

/** Where a body ends. */
export type Framing =
  | { readonly kind: 'none' }
  | { readonly kind: 'length'; readonly bytes: number }
  | { readonly kind: 'chunked' }
  /** With the connection; only of responses. */
  | { readonly kind: 'close' };

/** One header field. */
export interface Field {
  /** In lower case. */
  readonly name: string;
  /** The whole line as it came. */
  readonly line: string;
  readonly value: string;
}

/** The head of a request that can be forwarded without doubt about its meaning. */
export interface RequestHead {
  readonly method: string;
  /** Path and query, beginning with a slash; or `*`. */
  readonly target: string;
  /** 0 or 1 of HTTP/1.x. */
  readonly minor: number;
  /** Name that was asked, in lower case, without the port. */
  readonly host: string;
  /** Host as it came, with its port. */
  readonly authority: string;
  readonly fields: readonly Field[];
  readonly framing: Framing;
  /** Names of fields that end here, as `Connection` lists them. */
  readonly hops: readonly string[];
  readonly keepsAlive: boolean;
  /** The protocol that the client wants to change to. */
  readonly upgrade?: string;
}

/** The head of a response. */
export interface ResponseHead {
  readonly status: number;
  readonly reason: string;
  readonly fields: readonly Field[];
  readonly framing: Framing;
  readonly hops: readonly string[];
  readonly keepsAlive: boolean;
}

/** Why a head is not forwarded. */
export interface Refusal {
  readonly status: number;
  readonly why: string;
}

const REQUEST_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}) ([\x21-\x7e]+) HTTP\/1\.([01])$/;
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9][0-9]{2})(?: ([\t\x20-\x7e\x80-\xff]*))?$/;
const FIELD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[\t ]*([\t\x20-\x7e\x80-\xff]*)$/;
const AUTHORITY = /^([a-z0-9.-]{1,253}|\[[0-9a-f:.]+\])(:[0-9]{1,5})?$/;
const LENGTH = /^[0-9]{1,15}$/;
/** Fields that say where a message ends or whom it is for never end at a hop. */
const KEPT = new Set(['host', 'content-length', 'transfer-encoding']);

/**
 * Reads the head of a request, strictly: what two readers could take differently is refused, and
 * the connection with it (RFC 9112, sections 3, 5, 6 and 11.2).
 *
 * @param text - The head as Latin-1, without the empty line.
 */
export function parseRequestHead(text: string): RequestHead | Refusal {
  const lines = text.split('\r\n');
  const start = REQUEST_LINE.exec(lines[0] ?? '');
  if (start === null) return bad('the request line is not one of HTTP/1.1');
  const [, method = '', target = ''] = start;
  const minor = Number(start[3]);
  const unasked = targetRefusal(method, target);
  if (unasked !== undefined) return unasked;
  const fields = readFields(lines);
  if ('why' in fields) return fields;
  const named = only(fields.list, 'host');
  const authority = named?.toLowerCase() ?? '';
  const host = AUTHORITY.exec(authority)?.[1];
  if (host === undefined) return bad('the request does not name one host');
  const framing = framingOf(fields.list, minor);
  if ('why' in framing) return framing;
  const hops = hopsOf(fields.list);
  if (hops === undefined) return bad('Connection names a field that cannot end here');
  const upgrade = hops.includes('upgrade') ? only(fields.list, 'upgrade') : undefined;
  if (upgrade !== undefined && framing.kind !== 'none') return bad('an upgrade has no body');
  return {
    ...{ method, target, minor, host, authority, fields: fields.list, framing, hops },
    keepsAlive: staysOpen(hops, minor),
    ...(upgrade !== undefined && { upgrade }),
  };
}

/**
 * Reads the head of a response as strictly.
 *
 * @param method - Of the request that it answers.
 */
export function parseResponseHead(text: string, method: string): ResponseHead | Refusal {
  const lines = text.split('\r\n');
  const start = STATUS_LINE.exec(lines[0] ?? '');
  if (start === null) return bad('the status line is not one of HTTP/1.1');
  const status = Number(start[2]);
  const minor = Number(start[1]);
  const fields = readFields(lines);
  if ('why' in fields) return fields;
  const said = framingOf(fields.list, minor);
  if ('why' in said) return said;
  const hops = hopsOf(fields.list);
  if (hops === undefined) return bad('Connection names a field that cannot end here');
  const hasNone = method === 'HEAD' || status < 200 || status === 204 || status === 304;
  const isOpen = said.kind === 'none' && only(fields.list, 'content-length') === undefined;
  const framing: Framing = hasNone ? { kind: 'none' } : isOpen ? { kind: 'close' } : said;
  const keepsAlive = framing.kind !== 'close' && staysOpen(hops, minor);
  return { status, reason: start[3] ?? '', fields: fields.list, framing, hops, keepsAlive };
}

function targetRefusal(method: string, target: string): Refusal | undefined {
  if (method === 'CONNECT') return { status: 405, why: 'CONNECT is not offered' };
  if (target.length > TARGET_CHARS_MAX) return { status: 414, why: 'the address is too long' };
  if (target.startsWith('/') || (target === '*' && method === 'OPTIONS')) return undefined;
  return bad('the request does not ask for a path');
}

function readFields(lines: readonly string[]): { readonly list: readonly Field[] } | Refusal {
  if (lines.length - 1 > FIELDS_MAX) return { status: 431, why: 'the head has too many fields' };
  const list: Field[] = [];
  for (let index = 1; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    const match = FIELD.exec(line);
    if (match === null) return bad('a header field is malformed');
    list.push({ name: (match[1] ?? '').toLowerCase(), line, value: (match[2] ?? '').trimEnd() });
  }
  return { list };
}

function framingOf(fields: readonly Field[], minor: number): Framing | Refusal {
  const lengths = valuesOf(fields, 'content-length');
  const encodings = valuesOf(fields, 'transfer-encoding');
  if (lengths.length > 1) return bad('Content-Length stands twice');
  if (encodings.length > 1) return bad('Transfer-Encoding stands twice');
  const [length] = lengths;
  const [encoding] = encodings;
  if (encoding === undefined) return lengthFraming(length);
  if (length !== undefined) return bad('Content-Length and Transfer-Encoding exclude each other');
  if (minor === 0) return bad('HTTP/1.0 has no Transfer-Encoding');
  if (encoding.toLowerCase() === 'chunked') return { kind: 'chunked' };
  return { status: 501, why: 'no transfer coding but chunked is known' };
}

function lengthFraming(length: string | undefined): Framing | Refusal {
  if (length === undefined) return { kind: 'none' };
  if (!LENGTH.test(length)) return bad('Content-Length is no number');
  const bytes = Number(length);
  return bytes === 0 ? { kind: 'none' } : { kind: 'length', bytes };
}

function valuesOf(fields: readonly Field[], wanted: string): readonly string[] {
  return fields.filter(({ name }) => name === wanted).map(({ value }) => value);
}

function hopsOf(fields: readonly Field[]): readonly string[] | undefined {
  const hops: string[] = [];
  for (const { name, value } of fields) {
    if (name !== 'connection') continue;
    for (const part of value.toLowerCase().split(',')) {
      const hop = part.trim();
      if (KEPT.has(hop)) return undefined;
      if (hop !== '') hops.push(hop);
    }
  }
  return hops;
}

function staysOpen(hops: readonly string[], minor: number): boolean {
  return minor === 1 ? !hops.includes('close') : hops.includes('keep-alive');
}

/** The value of a field that stands once; `undefined` where it is missing or stands twice. */
function only(fields: readonly Field[], wanted: string): string | undefined {
  const values = valuesOf(fields, wanted);
  return values.length === 1 ? values[0] : undefined;
}

function bad(why: string): Refusal {
  return { status: 400, why };
}
