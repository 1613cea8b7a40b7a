import { headerOf } from '../../http/headers.ts';
import type { HttpReply, HttpRequest } from '../../http/host.ts';
import { errorJson, type RpcMessage } from '../json-rpc.ts';
import { SESSION_VERSIONS } from '../versions.ts';
import { claimedVersion, mayBeModern } from './modern-detection.ts';

/** JSON-RPC code of 2026-07-28 for an unsupported version. */
const VERSION_UNSUPPORTED = -32_022;
const VERSION_CHARS_MAX = 40;

/**
 * Builds the rejection of a 2026-07-28 message where clients must start with `initialize`. It lists
 * the supported versions, so that the client can retry.
 *
 * @returns `undefined` for messages that belong, or may belong, to a session.
 */
export function rejectModern(request: HttpRequest, message: RpcMessage): HttpReply | undefined {
  if (headerOf(request, 'mcp-session-id') !== undefined) return undefined;
  const version = headerOf(request, 'mcp-protocol-version');
  if (!mayBeModern(version, message.raw)) return undefined;
  const requested = (claimedVersion(message.raw) ?? version ?? '').slice(0, VERSION_CHARS_MAX);
  const id = message.kind === 'request' ? message.id : null;
  const errorText = 'Unsupported protocol version: start with initialize and a supported version';
  const body = errorJson(id, VERSION_UNSUPPORTED, errorText, {
    supported: [...SESSION_VERSIONS],
    requested,
  });
  return { status: 400, headers: ['content-type', 'application/json'], body };
}
