import { headerOf, headerValues } from './headers.ts';
import type { HttpReply, HttpRequest } from './host.ts';

/** Returns whether a request asks for a WebSocket. */
export function isWebSocketRequest(request: HttpRequest): boolean {
  return request.method === 'GET' && equalsToken(headerOf(request, 'upgrade'), 'websocket');
}

/**
 * Returns the error reply to a bad WebSocket handshake.
 *
 * @returns `undefined` when the handshake is valid.
 */
export function checkHandshake(request: HttpRequest): HttpReply | undefined {
  if (request.method !== 'GET') return textReply(405, 'method not allowed', ['allow', 'GET']);
  if (!isWebSocketRequest(request)) return UPGRADE_REQUIRED;
  const connection = headerValues(request, 'connection').join(',').split(',');
  if (!connection.some((part) => equalsToken(part, 'upgrade'))) return UPGRADE_REQUIRED;
  const versions = headerValues(request, 'sec-websocket-version');
  if (versions.length !== 1 || versions[0] !== '13') return UPGRADE_REQUIRED;
  const keys = headerValues(request, 'sec-websocket-key');
  if (keys.length !== 1 || !KEY.test(keys[0] ?? '')) return textReply(400, 'bad websocket key');
  const hasBody =
    (headerOf(request, 'content-length') ?? '0') !== '0' ||
    headerOf(request, 'transfer-encoding') !== undefined;
  return hasBody ? textReply(400, 'a handshake has no body') : undefined;
}

/** 16 bytes in base64. */
const KEY = /^[A-Za-z0-9+/]{21}[AQgw]==$/;

const UPGRADE_REQUIRED = textReply(426, 'websocket upgrade required', [
  ...['upgrade', 'websocket'],
  ...['sec-websocket-version', '13'],
]);

function textReply(status: number, text: string, more: readonly string[] = []): HttpReply {
  const headers = ['content-type', 'text/plain; charset=utf-8', ...more];
  return { status, headers, body: `${text}\n` };
}

/** Returns whether a text equals a lower-case word, ignoring case and surrounding space. */
export function equalsToken(text: string | undefined, word: string): boolean {
  return text?.trim().toLowerCase() === word;
}
