import { AppError, errorBody } from '../../domain/common/error.ts';
import { findExceededBound } from '../../domain/common/json-bounds.ts';
import type { HttpReply } from '../http/host.ts';
import { errorJson, RPC } from './json-rpc.ts';

/** Deepest nesting of a message. */
export const JSON_DEPTH_MAX = 64;
/** Most members and elements of a message, over all its objects and lists. */
export const JSON_MEMBERS_MAX = 20_000;

/**
 * Checks the structural limits of JSON before it is parsed.
 *
 * @returns The error, or `undefined`. The parser decides whether the text is JSON at all.
 */
export function checkBounds(body: Uint8Array): AppError | undefined {
  const passed = findExceededBound(body, {
    depthMax: JSON_DEPTH_MAX,
    membersMax: JSON_MEMBERS_MAX,
  });
  if (passed === undefined) return undefined;
  return passed === 'depthMax'
    ? boundsError('depth', JSON_DEPTH_MAX)
    : boundsError('members', JSON_MEMBERS_MAX);
}

/** Returns the reply to a body over the limits, or `undefined`. */
export function boundsReply(body: Uint8Array): HttpReply | undefined {
  const found = checkBounds(body);
  return found && errorReply(found);
}

/** Builds the reply to a body with too many bytes. */
export function tooManyBytesReply(allowed: number): HttpReply {
  return errorReply(boundsError('bytes', allowed));
}

function errorReply(found: AppError): HttpReply {
  const headers = ['content-type', 'application/json'];
  return { status: 413, headers, body: boundsErrorJson(found) };
}

/** Builds the error as a JSON-RPC response. */
export function boundsErrorJson(found: AppError): string {
  return errorJson(null, RPC.INVALID_REQUEST, found.message, errorBody(found));
}

function boundsError(limit: 'bytes' | 'depth' | 'members', allowed: number): AppError {
  const message = `The body has more than ${allowed} ${limit === 'depth' ? 'levels' : limit}.`;
  return new AppError('BODY_TOO_LARGE', { message, data: { limit, allowed } });
}
