import { AppError, ERRORS, type ErrorCode } from '../../../domain/common/error.ts';
import { tryParseJson } from '../../../domain/common/json.ts';
import { ErrorShape } from '../../../domain/hosting/api-shapes.ts';

/** Error codes of the second host that are passed on to callers. */
const FORWARDED_CODES: readonly ErrorCode[] = [
  ...(['RESOURCE_UNKNOWN', 'NAME_TAKEN', 'INPUT_INVALID', 'HOST_CAPACITY'] as const),
  ...(['NOT_CONFIGURED', 'FORBIDDEN', 'RATE_LIMITED', 'HOST_UNAVAILABLE'] as const),
  ...(['OVERLOADED', 'STORE_FULL', 'BODY_TOO_LARGE'] as const),
  ...(['SQL_BLOCKED', 'SQL_REFUSED', 'SQL_TIMEOUT'] as const),
];
const MESSAGE_CHARS_MAX = 2_000;
/** Status codes of a proxy whose host starts or is overloaded. */
const PROXY_STATUSES = [502, 503, 504];

/** Why there was no usable response; used in `data.kind`. */
export type RequestFailureKind =
  | 'connect'
  | 'cut'
  | 'timeout'
  | 'aborted'
  | 'closed'
  | 'answer'
  | 'status';

/** Facts about a failed request. */
export interface RequestFailure {
  readonly kind: RequestFailureKind;
  /** Method and path, such as `GET services`; never a token. */
  readonly asked: string;
  readonly why: string;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** Creates the error for an unusable response of the second host. */
export function unavailableError({ kind, asked, why, data, cause }: RequestFailure): AppError {
  const message = `The second host gave no usable response to ${asked}: ${why}.`;
  return new AppError('HOST_UNAVAILABLE', { message, data: { kind, asked, ...data }, cause });
}

/** Returns whether a read may be retried: nothing answered, or only a proxy did. */
export function isTransient(error: AppError): boolean {
  if (error.code !== 'HOST_UNAVAILABLE') return false;
  const { kind, status } = error.data;
  if (kind === 'connect' || kind === 'cut') return true;
  return kind === 'status' && PROXY_STATUSES.includes(Number(status));
}

/** An error response, as far as it was read. */
export interface ErrorResponse {
  readonly asked: string;
  readonly status: number;
  readonly retryAfter: string | null;
  readonly text: string;
}

/** Converts an error response of the second host. */
export function toHostError(answer: ErrorResponse): AppError {
  const { asked, status, text } = answer;
  if (status === 401) {
    const message = 'The second host rejected the token: it is wrong, expired or revoked.';
    return new AppError('UNAUTHORIZED', { message, data: { asked } });
  }
  const hostError = ErrorShape.safeParse(tryParseJson(text)).data;
  const code = FORWARDED_CODES.find((one) => one === hostError?.error);
  if (hostError !== undefined && code !== undefined) {
    const data = { ...hostError.data, ...parseRetryAfter(code, answer) };
    return new AppError(code, { message: hostError.message.slice(0, MESSAGE_CHARS_MAX), data });
  }
  if (status === ERRORS.RATE_LIMITED.status) {
    const data = parseRetryAfter('RATE_LIMITED', answer);
    return new AppError('RATE_LIMITED', { data });
  }
  const named = hostError === undefined ? {} : { error: hostError.error };
  return unavailableError({
    kind: 'status',
    asked,
    why: describeStatus(status, hostError?.error),
    data: { status, ...named },
  });
}

function describeStatus(status: number, code: string | undefined): string {
  if (code !== undefined) return `it responded with ${status} ${code}`;
  if (status === 404) return 'it has no hosting API at this address (404)';
  return status >= 300 && status < 400 ? `it redirects (${status})` : `it responded with ${status}`;
}

/** Returns the retry delay in whole seconds if the host sent one. */
function parseRetryAfter(
  code: ErrorCode,
  { retryAfter }: ErrorResponse,
): { retry_after_s?: number } {
  const isSaid = code === 'RATE_LIMITED' && /^\d{1,6}$/.test(retryAfter ?? '');
  return isSaid ? { retry_after_s: Number(retryAfter) } : {};
}
