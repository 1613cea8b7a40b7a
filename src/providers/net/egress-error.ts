import { AppError, type ErrorCode } from '../../domain/common/error.ts';

/** The progress of a request. On a failure it shows where it happened. */
export interface RequestProgress {
  stage: 'connect' | 'headers' | 'body';
  /** The URL of the current request. */
  url: string;
  /** URLs that redirected, in order. */
  redirects: string[];
  /** What ended the request early. */
  endedBy: 'deadline' | 'caller' | 'closed' | undefined;
}

/** Kinds of `EGRESS_FAILED`, as in `data.kind`. */
export type FailureKind =
  | 'dns'
  | 'tls'
  | 'connect'
  | 'reset'
  | 'redirects'
  | 'protocol'
  | 'aborted';

const FAILURE_KINDS: Readonly<Record<string, FailureKind>> = {
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  EAI_FAIL: 'dns',
  EAI_NODATA: 'dns',
  EAI_NONAME: 'dns',
  ENODATA: 'dns',
  ESERVFAIL: 'dns',
  ECONNREFUSED: 'connect',
  EHOSTUNREACH: 'connect',
  ENETUNREACH: 'connect',
  EHOSTDOWN: 'connect',
  ENETDOWN: 'connect',
  EADDRNOTAVAIL: 'connect',
  EACCES: 'connect',
  EPERM: 'connect',
  EPROTO: 'tls',
  ECONNRESET: 'reset',
  ECONNABORTED: 'reset',
  EPIPE: 'reset',
  UND_ERR_SOCKET: 'reset',
};
const TIMEOUTS = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
]);
const TLS_CODE = /^ERR_(TLS|SSL)_|CERT|SIGNATURE|ISSUER|UNABLE_TO_/;

/** Converts any failure to one of the public errors, with the request's progress in its data. */
export function toEgressError(thrown: unknown, trip: RequestProgress): AppError {
  const progress = { url: trip.url, redirects: [...trip.redirects], phase: trip.stage };
  const make = (code: ErrorCode, data: Record<string, unknown>) =>
    new AppError(code, { data: { ...data, ...progress }, cause: thrown });
  if (trip.endedBy === 'deadline') return make('EGRESS_TIMEOUT', { limit: 'total' });
  if (trip.endedBy !== undefined)
    return make('EGRESS_FAILED', { kind: 'aborted', by: trip.endedBy });
  const ours = findAppError(thrown);
  if (ours !== undefined) {
    const data = { ...progress, ...ours.data };
    return new AppError(ours.code, { message: ours.message, data, cause: ours.cause });
  }
  const code = findErrorCode(thrown);
  if (TIMEOUTS.has(code)) return make('EGRESS_TIMEOUT', { limit: trip.stage });
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return make('EGRESS_TOO_LARGE', { part: 'headers' });
  return make('EGRESS_FAILED', { kind: failureKind(code), code });
}

function failureKind(code: string): FailureKind {
  return FAILURE_KINDS[code] ?? (TLS_CODE.test(code) ? 'tls' : 'protocol');
}

function findAppError(thrown: unknown): AppError | undefined {
  if (thrown instanceof AppError) return thrown;
  return thrown instanceof Error && thrown.cause instanceof AppError ? thrown.cause : undefined;
}

// Parallel connection attempts fail as one AggregateError. Its first member has the reason.
function findErrorCode(thrown: unknown): string {
  const parts = thrown instanceof AggregateError ? [thrown, ...thrown.errors] : [thrown];
  const inner = thrown instanceof Error ? [thrown.cause] : [];
  for (const part of [...parts, ...inner]) {
    const code = (part as { code?: unknown } | undefined)?.code;
    if (typeof code === 'string') return code;
  }
  return 'UNKNOWN';
}
