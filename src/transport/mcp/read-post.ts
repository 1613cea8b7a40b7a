import { isUtf8 } from 'node:buffer';
import { acceptsType } from '../http/accept.ts';
import { headerOf, headerValues } from '../http/headers.ts';
import type { HttpExchange, HttpReply, HttpRequest } from '../http/host.ts';
import { charsetReply, ERROR_REPLIES } from './error-replies.ts';

/** The parsed body of a POST. */
export interface PostBody {
  readonly value: unknown;
}

const JSON_TYPE = 'application/json';
const STREAM_TYPE = 'text/event-stream';
/** The value of the official clients, which skips the parser. */
const USUAL_ACCEPT = `${JSON_TYPE}, ${STREAM_TYPE}`;
const UTF_8 = new Set(['utf-8', 'utf8', '"utf-8"', '"utf8"']);

/**
 * Reads the body of a POST. Sends the error reply itself if head or body is wrong.
 *
 * @param needsAccept - Whether a request without `Accept` is refused.
 */
export function readPost(exchange: HttpExchange, needsAccept: boolean): PostBody | undefined {
  const refusal = checkPostHead(exchange.request, needsAccept);
  if (refusal !== undefined) {
    exchange.reply(refusal);
    return undefined;
  }
  const body = parseBody(exchange.body);
  if ('value' in body) return body;
  exchange.reply(body);
  return undefined;
}

/** Returns the refusal of a POST that sends or accepts the wrong content types. */
export function checkPostHead(request: HttpRequest, needsAccept = true): HttpReply | undefined {
  const refusal = checkContentType(headerOf(request, 'content-type'));
  if (refusal !== undefined) return refusal;
  const accept = readAccept(request);
  if (accept === undefined) return needsAccept ? ERROR_REPLIES.accept : undefined;
  if (accept === USUAL_ACCEPT) return undefined;
  const isAccepted = acceptsType(accept, JSON_TYPE) && acceptsType(accept, STREAM_TYPE);
  return isAccepted ? undefined : ERROR_REPLIES.accept;
}

/** Returns whether the client of a GET accepts an event stream. */
export function acceptsStream(request: HttpRequest): boolean {
  const accept = readAccept(request);
  return accept === STREAM_TYPE || (accept !== undefined && acceptsType(accept, STREAM_TYPE));
}

/** Parses a body, or returns the refusal of one that is not JSON in UTF-8. */
export function parseBody(body: Buffer): PostBody | HttpReply {
  if (!isUtf8(body)) return ERROR_REPLIES.encoding;
  try {
    return { value: JSON.parse(body.toString('utf8')) };
  } catch {
    return ERROR_REPLIES.parse;
  }
}

function checkContentType(contentType: string | undefined): HttpReply | undefined {
  if (contentType === JSON_TYPE) return undefined;
  const [type, ...parameters] = (contentType ?? '').toLowerCase().split(';');
  if (type?.trim() !== JSON_TYPE) return ERROR_REPLIES.contentType;
  for (const parameter of parameters) {
    const [name = '', charset = ''] = parameter.split('=').map((text) => text.trim());
    if (name === 'charset' && !UTF_8.has(charset)) return charsetReply(charset);
  }
  return undefined;
}

/** A list that is sent as several header lines is one list. */
function readAccept(request: HttpRequest): string | undefined {
  const first = headerOf(request, 'accept');
  if (first === undefined || first === USUAL_ACCEPT) return first;
  return headerValues(request, 'accept').join(',');
}
