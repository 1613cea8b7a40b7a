import { isObject } from '../../domain/json.ts';
import { isSessionVersion } from './versions.ts';

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

function hasEnvelope(body: unknown): boolean {
  if (!isObject(body) || !isObject(body['params'])) return false;
  const meta = body['params']['_meta'];
  return isObject(meta) && meta[PROTOCOL_VERSION_KEY] !== undefined;
}
