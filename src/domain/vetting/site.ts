/** Maximum length of a web address, in characters. */
export const SITE_CHARS_MAX = 2_048;

/**
 * Returns the host of a web site, with its port if given, from a URL or from a bare name as in
 * registries. `undefined` for any other text.
 */
export function parseSiteHost(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed.length > SITE_CHARS_MAX) return undefined;
  const isAddress = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed);
  const address = isAddress ? trimmed : `https://${trimmed}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return undefined;
  const isPlain = url.username === '' && url.password === '';
  // A name without a dot is not public. The egress guard checks the addresses.
  return isPlain && /^[a-z0-9.-]+\.[a-z0-9-]+$/i.test(url.hostname) ? url.host : undefined;
}
