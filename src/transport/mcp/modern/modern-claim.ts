import { isObject } from '../../../domain/common/json.ts';
import { isSessionVersion } from '../versions.ts';

/** Where a request of 2026-07-28 says its version. */
const PROTOCOL_VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

/**
 * Tells whether a POST may speak 2026-07-28. What does not is told without the SDK, which is not
 * even loaded before the first that may.
 *
 * @param version - The version header, as it came.
 */
export function mayBeModern(version: string | undefined, body: unknown): boolean {
  const isPlain = version === undefined || isSessionVersion(version);
  return !isPlain || hasEnvelope(body);
}

/** The version that the envelope of a message names, as it came. */
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
