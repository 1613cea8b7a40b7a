import { pipeline, type Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { BoundedBytes } from '../../domain/common/bounded-bytes.ts';
import { AppError, invariant } from '../../domain/common/error.ts';

const CROSS_ORIGIN_HEADERS = new Set(['accept', 'accept-language', 'range', 'user-agent']);
const CONNECTION_HEADERS =
  /^(host|connection|keep-alive|transfer-encoding|content-length|upgrade|te|trailer)$/;

/** Returns the headers of the first request: the caller's in lower case, overridden by ours. */
export function createRequestHeaders(
  callerHeaders: Readonly<Record<string, string>> | undefined,
  userAgent: string,
): Record<string, string> {
  const headers: Record<string, string> = { accept: '*/*' };
  for (const [name, value] of Object.entries(callerHeaders ?? {})) {
    invariant(
      !CONNECTION_HEADERS.test(name.toLowerCase()),
      `header ${name} belongs to the connection`,
    );
    headers[name.toLowerCase()] = value;
  }
  return { ...headers, 'user-agent': userAgent, 'accept-encoding': ACCEPT_ENCODING };
}

/**
 * Returns the headers after a redirect. Another origin gets only those that reveal nothing about
 * the caller.
 */
export function createRedirectHeaders(
  headers: Readonly<Record<string, string>>,
  isSameOrigin: boolean,
): Record<string, string> {
  const kept = Object.entries(headers).filter(
    ([name]) => isSameOrigin || CROSS_ORIGIN_HEADERS.has(name) || name === 'accept-encoding',
  );
  return Object.fromEntries(kept);
}

/** Returns one value per name. Repeated headers are joined with commas, as HTTP specifies. */
export function flattenHeaders(
  raw: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(raw)) {
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return flat;
}

/** Encodings that the client accepts. */
export const ACCEPT_ENCODING = 'gzip, br';
/** Most nested encodings that are decoded. */
export const ENCODINGS_MAX = 2;
/** Wire bytes beyond the decoded limit, for the framing of the encoding. */
const WIRE_SLACK_BYTES = 65_536;

/** The limits and the encoding of a body. */
export interface BodyOptions {
  /** Value of `content-encoding`. */
  readonly encoding: string | undefined;
  /** Value of `content-length`. */
  readonly length: string | undefined;
  /** Most decoded bytes. */
  readonly maxBytes: number;
  /** Stops at `maxBytes` instead of failing. */
  readonly truncate: boolean;
}

/**
 * Reads a body. It decodes as data arrives and counts the output, so a small body that expands to a
 * huge one stops at the limit with little memory used.
 *
 * @throws {AppError} `EGRESS_TOO_LARGE`, `EGRESS_FAILED` (kind `protocol`) for unknown encodings.
 */
export async function readBody(source: Readable, plan: BodyOptions): Promise<Uint8Array> {
  const decoders = createDecoders(plan.encoding);
  const isPlain = decoders.length === 0;
  if (isPlain && !plan.truncate && Number(plan.length) > plan.maxBytes) throw tooLarge(plan);
  const decoded = isPlain ? source : pipeStreams([source, createWireLimit(plan), ...decoders]);
  const bytes = new BoundedBytes(plan.maxBytes);
  let remaining = plan.maxBytes;
  for await (const chunk of decoded as AsyncIterable<Uint8Array>) {
    if (chunk.byteLength > remaining && !plan.truncate) throw tooLarge(plan);
    bytes.add(chunk.subarray(0, remaining));
    remaining -= chunk.byteLength;
    if (remaining < 0) break;
  }
  return bytes.bytes();
}

function createDecoders(encoding: string | undefined): Transform[] {
  const names = (encoding ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity');
  if (names.length > ENCODINGS_MAX) throw unsupportedEncoding(encoding);
  return names.reverse().map((name) => {
    if (name === 'gzip' || name === 'x-gzip') return createGunzip();
    if (name === 'br') return createBrotliDecompress();
    if (name === 'deflate') return createInflate();
    throw unsupportedEncoding(encoding);
  });
}

function pipeStreams(streams: readonly [Readable, ...Transform[]]): Readable {
  // The last stream passes every error to its reader, so the callback has nothing to do.
  pipeline([...streams] as [Readable, ...Transform[]], () => undefined);
  return streams[streams.length - 1] as Readable;
}

// An encoding can carry no data in many bytes, so the input is limited as well as the output.
function createWireLimit(plan: BodyOptions): Transform {
  let size = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.byteLength;
      if (size > plan.maxBytes + WIRE_SLACK_BYTES) done(tooLarge(plan));
      else done(null, chunk);
    },
  });
}

function tooLarge(plan: BodyOptions): AppError {
  return new AppError('EGRESS_TOO_LARGE', { data: { part: 'body', maxBytes: plan.maxBytes } });
}

function unsupportedEncoding(encoding: string | undefined): AppError {
  return new AppError('EGRESS_FAILED', {
    message: 'The content-encoding of the answer is not supported.',
    data: { kind: 'protocol', code: 'CONTENT_ENCODING', encoding: encoding?.slice(0, 100) },
  });
}

/** Waits for a promise, or rejects as soon as the signal aborts. The work itself keeps running. */
export function race<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new AppError('EGRESS_FAILED', { data: { kind: 'aborted' } }));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    const settle = <V>(give: (value: V) => void) => {
      return (value: V) => {
        signal.removeEventListener('abort', abort);
        give(value);
      };
    };
    work.then(settle(resolve), settle(reject));
  });
}
