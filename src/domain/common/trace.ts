/** Names of the header, and of the member of `_meta`, that say whose work a call is. */
export const TRACEPARENT = 'traceparent';

const FORM = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/**
 * The caller's trace as W3C Trace Context writes it: from the HTTP header, else from `_meta` of the
 * request. Anything else counts as none, as that specification asks.
 */
export function traceparentOf(
  header: string | undefined,
  meta: Readonly<Record<string, unknown>> | undefined,
): string | undefined {
  if (header !== undefined && FORM.test(header)) return header;
  const named = meta?.[TRACEPARENT];
  return typeof named === 'string' && FORM.test(named) ? named : undefined;
}
