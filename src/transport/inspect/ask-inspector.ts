import { WebSocket } from 'ws';
import { AppError, isErrorCode } from '../../domain/common/error.ts';
import type { Json } from '../../domain/common/json.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { Action, ReadQuery } from '../../domain/inspect/message.ts';
import type { WireReply } from '../../domain/inspect/wire.ts';
import { INSPECT_PATH } from './inspect-socket.ts';

/** How long an inspector may take to answer, in milliseconds. */
const ANSWER_MS = 30 * SECOND_MS;
const FRAGMENT = '#enter=';
const REQUEST_ID = 1;

/** One request to an inspector. */
export type InspectorRequest =
  | { readonly op: 'read'; readonly reading: ReadQuery }
  | { readonly op: 'act'; readonly action: Action; readonly confirmed: true };

/**
 * Asks a running inspector once.
 *
 * @param link - The link that `openInspector` returned.
 * @throws {AppError} `HOST_UNAVAILABLE` if no inspector answers there; `UNAUTHORIZED`; the error of
 *   the inspector.
 */
export function askInspector(link: string, request: InspectorRequest): Promise<Json> {
  const url = new URL(link);
  const token = url.hash.startsWith(FRAGMENT) ? url.hash.slice(FRAGMENT.length) : '';
  const socket = new WebSocket(`ws://${url.host}${INSPECT_PATH}`, {
    headers: { authorization: `Bearer ${token}` },
    handshakeTimeout: ANSWER_MS,
  });
  return new Promise<Json>((done, fail) => {
    const timer = setTimeout(() => fail(unavailable(url, 'did not answer')), ANSWER_MS);
    socket.on('error', (cause) => fail(handshakeError(url, cause)));
    socket.on('close', () => fail(unavailable(url, 'closed the connection')));
    socket.on('open', () => socket.send(JSON.stringify({ id: REQUEST_ID, ...request })));
    socket.on('message', (bytes: Buffer) => {
      const reply = JSON.parse(bytes.toString('utf8')) as Partial<WireReply>;
      if (reply.id !== REQUEST_ID) return;
      if (reply.ok === true) done(reply.result ?? null);
      else fail(replyError(reply));
    });
    socket.on('close', () => clearTimeout(timer));
  }).finally(() => socket.close());
}

function handshakeError(url: URL, cause: Error): AppError {
  if (!cause.message.includes('401')) return unavailable(url, `cannot be reached`, cause);
  const message = 'The inspector refuses the token. Copy the whole link, with the part after #.';
  return new AppError('UNAUTHORIZED', { message, data: { origin: url.origin } });
}

function unavailable({ origin }: URL, what: string, cause?: unknown): AppError {
  const message = `The inspector at ${origin} ${what}.`;
  return new AppError('HOST_UNAVAILABLE', { message, data: { origin }, cause });
}

function replyError(reply: Partial<WireReply>): AppError {
  const {
    code = 'INTERNAL',
    message = '',
    data = {},
  } = 'error' in reply ? (reply.error ?? {}) : {};
  return new AppError(isErrorCode(code) ? code : 'INTERNAL', { message, data });
}
