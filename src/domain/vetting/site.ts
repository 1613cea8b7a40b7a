/** Characters of a web address at the most. */
export const SITE_CHARS_MAX = 2_048;

/**
 * The host of a web site, with its port where one is named: from an address, or from a bare name as
 * registries publish it. `undefined` for anything else.
 */
export function siteHostOf(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed.length > SITE_CHARS_MAX) return undefined;
  const isAddress = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed);
  const address = isAddress ? trimmed : `https://${trimmed}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return undefined;
  const isPlain = url.username === '' && url.password === '';
  // A name without a dot is no public one; the guard of the way out looks at addresses.
  return isPlain && /^[a-z0-9.-]+\.[a-z0-9-]+$/i.test(url.hostname) ? url.host : undefined;
}
