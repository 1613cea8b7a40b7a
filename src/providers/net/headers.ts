import { invariant } from '../../domain/common/error.ts';
import { ACCEPT_ENCODING } from './body.ts';

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
