/** Name of the HTTP header and of the `_meta` member that carry the trace context. */
export const TRACEPARENT = 'traceparent';

const TRACEPARENT_FORM =
  /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/**
 * Returns the caller's W3C trace context from the HTTP header, or else from `_meta`. Invalid values
 * are ignored, as the specification requires.
 */
export function readTraceparent(
  header: string | undefined,
  meta: Readonly<Record<string, unknown>> | undefined,
): string | undefined {
  if (header !== undefined && TRACEPARENT_FORM.test(header)) return header;
  const named = meta?.[TRACEPARENT];
  return typeof named === 'string' && TRACEPARENT_FORM.test(named) ? named : undefined;
}
