import type { SpanContext } from '@opentelemetry/api';

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const CODE = /^[A-Za-z0-9_.-]{1,64}$/;

/** Formats a span context as a `traceparent` header. */
export function formatTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/** Parses a `traceparent` header of any version with the layout of version 00. */
export function parseTraceparent(text: string | undefined): SpanContext | undefined {
  const found = TRACEPARENT.exec(`00${text?.slice(2, 55) ?? ''}`);
  if (found === null) return undefined;
  const [, traceId = '', spanId = '', flags = ''] = found;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}

/** Returns an error code that is safe in a span: a single word, or `Error`. */
export function toSpanError(code: string | undefined): string {
  return code !== undefined && CODE.test(code) ? code : 'Error';
}
