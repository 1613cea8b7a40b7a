import { z } from 'zod';
import { type AppError, type ErrorCode, type Retry, toAppError } from '../common/error.ts';
import { SECOND_MS } from '../common/time.ts';

/** Failure codes of upstreams, with when a retry can succeed. */
export const FAILURE_RETRIES = {
  invalid_input: 'after_fix',
  unknown_symbol: 'after_fix',
  unknown_entity: 'after_fix',
  ambiguous_entity: 'after_fix',
  not_configured: 'after_fix',
  upstream_unauthorized: 'never',
  geo_blocked: 'never',
  blocked_by_upstream: 'never',
  robots_disallowed: 'never',
  rate_limited: 'later',
  upstream_unavailable: 'later',
  upstream_timeout: 'later',
  upstream_bad_payload: 'later',
  upstream_gone: 'never',
  stale_data: 'later',
  not_found: 'never',
  ssrf_blocked: 'never',
  unsupported_scheme: 'after_fix',
  too_large: 'never',
  too_deep: 'never',
  unsupported_media_type: 'never',
  too_many_redirects: 'never',
  deadline_exceeded: 'later',
  market_closed: 'later',
} as const satisfies Record<string, Retry>;

/** Code of a source failure. Part of the wire format. */
export type FailureCode = keyof typeof FAILURE_RETRIES;

/** One of the {@link FailureCode} values. */
export const FailureCode = z.enum(Object.keys(FAILURE_RETRIES) as [FailureCode, ...FailureCode[]]);

/** Maximum length of a failure's detail, in characters. */
export const FAILURE_DETAIL_MAX = 200;
/** Maximum number of candidates in one failure. */
export const FAILURE_CANDIDATES_MAX = 10;

/** A failure of one upstream to return usable data. */
export const DataFailure = z.object({
  upstream: z.string(),
  code: FailureCode,
  retryable: z.boolean().describe('Whether the same call may succeed later.'),
  retry_after_s: z.int().nonnegative().optional(),
  detail: z.string().max(FAILURE_DETAIL_MAX),
  candidates: z
    .array(z.string())
    .max(FAILURE_CANDIDATES_MAX)
    .optional()
    .describe('Possible matches if the input is ambiguous.'),
});
/** A parsed {@link DataFailure}. */
export type DataFailure = z.infer<typeof DataFailure>;

/** Details of a failure in addition to its code. */
export interface FailureDetails {
  readonly upstream: string;
  readonly detail: string;
  readonly retryAfterMs?: number | undefined;
  /** Possible matches; only the first ten are returned. */
  readonly candidates?: readonly string[];
}

/** Creates a source failure. */
export function createDataFailure(
  code: FailureCode,
  { upstream, detail, retryAfterMs, candidates }: FailureDetails,
): DataFailure {
  return {
    upstream,
    code,
    retryable: FAILURE_RETRIES[code] === 'later',
    ...(retryAfterMs === undefined ? {} : { retry_after_s: Math.ceil(retryAfterMs / SECOND_MS) }),
    detail: detail.slice(0, FAILURE_DETAIL_MAX),
    ...(candidates === undefined
      ? {}
      : { candidates: candidates.slice(0, FAILURE_CANDIDATES_MAX) }),
  };
}

/** Converts an error thrown by the egress client to a source failure. */
export function toDataFailure(upstream: string, thrown: unknown): DataFailure {
  const error = toAppError(thrown);
  return createDataFailure(failureCodeForError(error), { upstream, detail: formatDetail(error) });
}

/** Returns the failure code for an HTTP status, or `undefined` for success. */
export function failureCodeForStatus(status: number): FailureCode | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (status >= 500) return 'upstream_unavailable';
  return STATUS_CODES[status] ?? 'upstream_bad_payload';
}

const STATUS_CODES: Readonly<Record<number, FailureCode>> = {
  401: 'upstream_unauthorized',
  403: 'blocked_by_upstream',
  404: 'not_found',
  410: 'upstream_gone',
  // Binance returns 418 to addresses that keep sending after a 429.
  418: 'rate_limited',
  429: 'rate_limited',
  451: 'geo_blocked',
};

const KIND_CODES: Readonly<Record<string, FailureCode>> = {
  dns: 'upstream_unavailable',
  redirects: 'too_many_redirects',
  protocol: 'upstream_bad_payload',
  payload: 'upstream_bad_payload',
  aborted: 'deadline_exceeded',
  closed: 'market_closed',
};

const ERROR_CODES: Partial<Record<ErrorCode, FailureCode>> = {
  EGRESS_TIMEOUT: 'upstream_timeout',
  EGRESS_TOO_LARGE: 'too_large',
  NOT_CONFIGURED: 'not_configured',
  INPUT_INVALID: 'invalid_input',
};

function failureCodeForError({ code, data }: AppError): FailureCode {
  if (code === 'EGRESS_BLOCKED') {
    return data['reason'] === 'scheme' ? 'unsupported_scheme' : 'ssrf_blocked';
  }
  if (code !== 'EGRESS_FAILED') return ERROR_CODES[code] ?? 'upstream_unavailable';
  if (data['code'] === 'ENOTFOUND') return 'upstream_gone';
  return KIND_CODES[String(data['kind'])] ?? 'upstream_unavailable';
}

function formatDetail({ message, data }: AppError): string {
  const facts = [data['reason'], data['kind'], data['code'], data['phase']];
  const details = facts.filter((fact) => typeof fact === 'string').map((fact) => `(${fact})`);
  return [message, ...details].join(' ');
}
