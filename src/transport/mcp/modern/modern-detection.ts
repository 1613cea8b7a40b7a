import { isObject } from '../../../domain/common/json.ts';
import { isSessionVersion } from '../versions.ts';

/** The `_meta` key of the version in a request of 2026-07-28. */
const PROTOCOL_VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

/**
 * Returns whether a POST may use 2026-07-28. This check needs no SDK, which is loaded only for the
 * first such request.
 *
 * @param version - The version header, as received.
 */
export function mayBeModern(version: string | undefined, body: unknown): boolean {
  const isPlain = version === undefined || isSessionVersion(version);
  return !isPlain || hasEnvelope(body);
}

/** Returns the version in the envelope of a message, as received. */
export function claimedVersion(body: unknown): string | undefined {
  const version = envelopeOf(body)?.[PROTOCOL_VERSION_KEY];
  return typeof version === 'string' ? version : undefined;
}

function hasEnvelope(body: unknown): boolean {
  return envelopeOf(body)?.[PROTOCOL_VERSION_KEY] !== undefined;
}

function envelopeOf(body: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isObject(body) || !isObject(body['params'])) return undefined;
  const meta = body['params']['_meta'];
  return isObject(meta) ? meta : undefined;
}
