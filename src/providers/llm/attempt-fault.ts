import type { ErrorCode } from '../../domain/common/error.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { LlmFailure } from '../../domain/llm/llm.ts';
import type { PartialAnswer } from './attempt.ts';

/** Most characters of a failure detail. */
const DETAIL_CHARS_MAX = 200;
/** Most characters of a provider's error message that are examined. */
const WORDS_CHARS_MAX = 4_000;

/** Why an attempt produced no usable text, and how to react. */
export interface AttemptFault {
  readonly failure: LlmFailure;
  readonly detail: string;
  /** Whether repeating the request may help. */
  readonly isRetryable: boolean;
  /** The wait that the provider requires, in milliseconds. */
  readonly waitMs: number | undefined;
  /** HTTP status, if there was one. */
  readonly status: number | undefined;
  /** Whether the provider did no work: it rejected the request by status, or was not reached. */
  readonly isUnsent: boolean;
  /** The provider's error message, for adapting only: it may contain parts of a key. */
  readonly words: string;
}

/**
 * Classifies an attempt that has ended. Returns `undefined` if its text is usable. An attempt
 * without an end mark from the provider is cut off, even if nothing was thrown.
 *
 * @param now - Current time in milliseconds, for a retry time given as a date.
 */
export function classifyAttempt(
  gathered: PartialAnswer,
  thrown: unknown,
  now: number,
): AttemptFault | undefined {
  if (thrown !== undefined) return thrownFault(gathered, thrown, now);
  const { stop = gathered.isDone ? 'complete' : undefined, text } = gathered;
  const isEmpty = text.trim() === '';
  if (stop === 'refused') return permanentFault('refused', 'The model refused to answer.');
  if (stop === 'cut') return permanentFault('cut', cutDetail(gathered));
  if (stop === 'failed') return streamFault(gathered, 'The stream ended with an error.');
  if (stop === undefined) return { ...BROKEN, isRetryable: isEmpty };
  if (isEmpty) return permanentFault('provider_error', 'The answer is empty.');
  return undefined;
}

function cutDetail({ text, hasReasoning }: PartialAnswer): string {
  return text.trim() === '' && hasReasoning
    ? 'The reasoning of the model used up the token limit before an answer.'
    : 'The answer ended before it was complete.';
}

// Error codes before a connection exists: nothing was sent, so nothing was billed.
const UNREACHED_CODES =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|E(HOST|NET)UNREACH|UND_ERR_CONNECT_TIMEOUT)$|CERT|_TLS_/;

// The form of an error name. Any other value in its place may be the rejected key.
const ERROR_NAME = /^[a-z]+(_[a-z]+)*$/;
/** HTTP statuses for error types that come without one. */
const TYPE_STATUS: Readonly<Record<string, number>> = {
  overloaded_error: 529,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  timeout_error: 504,
};

function isVendorWord(part: unknown): part is string {
  return typeof part === 'string' && ERROR_NAME.test(part);
}

function thrownFault(gathered: PartialAnswer, thrown: unknown, now: number): AttemptFault {
  const facts = thrown as ProviderError;
  const status = typeof facts.status === 'number' ? facts.status : undefined;
  const kind = [facts.type, facts.code].find(isVendorWord);
  const errorText =
    typeof facts.message === 'string' ? facts.message.slice(0, WORDS_CHARS_MAX) : '';
  if (status === undefined) return connectionFault(gathered, facts);
  const detail = `HTTP ${status}${kind === undefined ? '' : ` (${kind})`}`;
  return {
    failure: status === 429 ? 'rate_limited' : 'provider_error',
    detail: detail.slice(0, DETAIL_CHARS_MAX),
    isRetryable: isRetryableStatus(status, facts),
    waitMs: parseRetryAfter(facts.headers, now),
    status,
    isUnsent: true,
    words: errorText,
  };
}

function isRetryableStatus(status: number, { headers, code }: ProviderError): boolean {
  const wish = headers instanceof Headers ? headers.get('x-should-retry') : null;
  if (wish === 'false') return false;
  if (code === 'insufficient_quota') return false;
  // A model that wrote invalid JSON may write valid JSON next time.
  return wish === 'true' || code === 'json_validate_failed' || isTransient(status);
}

/** Returns whether a status is transient and not caused by the request. */
function isTransient(status: number): boolean {
  const isOurs = status === 501 || status === 505;
  return [408, 409, 425, 429].includes(status) || (status >= 500 && !isOurs);
}

function connectionFault(gathered: PartialAnswer, thrown: ProviderError): AttemptFault {
  const name = thrown instanceof Error ? thrown.constructor.name : 'unknown';
  const status = statusFromCode(thrown.code) ?? statusFromCode(nestedError(thrown)?.code);
  const kind = [thrown.type, nestedError(thrown)?.type, thrown.code].find(isVendorWord);
  if (status !== undefined || kind !== undefined || thrown instanceof SyntaxError) {
    const detail = `The stream contained an error (${status ?? kind ?? name}).`;
    return streamFault(gathered, detail, status ?? TYPE_STATUS[kind ?? '']);
  }
  const code = causeCode(thrown);
  if (code === ('EGRESS_TOO_LARGE' satisfies ErrorCode))
    return permanentFault('cut', 'The answer is larger than allowed.');
  if (!gathered.hasStarted && UNREACHED_CODES.test(code)) {
    const detailText = `The host is unreachable (${code}).`;
    return { ...permanentFault('provider_error', detailText), isRetryable: true, isUnsent: true };
  }
  const broken = permanentFault('broken', `The connection broke (${code === '' ? name : code}).`);
  // No data has arrived: the host closed an idle connection, or failed before it answered.
  return { ...broken, isRetryable: gathered.text === '' };
}

/** Returns the fault for an error inside the stream. Before any text, a repeat may help. */
function streamFault({ text }: PartialAnswer, detail: string, status?: number): AttemptFault {
  const failure = status === 429 ? 'rate_limited' : 'provider_error';
  const isRetryable = text === '' && (status === undefined || isTransient(status));
  return { ...permanentFault(failure, detail), isRetryable, status };
}

function nestedError({ error }: ProviderError): ProviderError | undefined {
  const inner = (error as { error?: ProviderError } | undefined)?.error;
  return typeof inner === 'object' ? inner : undefined;
}

/** Returns an HTTP status that appears in place of a code. */
function statusFromCode(code: unknown): number | undefined {
  const number = Number(code);
  return typeof code !== 'object' && number >= 400 && number < 600 ? number : undefined;
}

function causeCode(thrown: unknown): string {
  let at = thrown as { code?: unknown; cause?: unknown } | undefined;
  for (let depth = 0; depth < 4 && at !== undefined && at !== null; depth += 1) {
    if (typeof at.code === 'string') return at.code;
    at = at.cause as typeof at;
  }
  return '';
}

// Only types, codes and statuses are shown: a provider's message may repeat the key.
interface ProviderError {
  readonly status?: unknown;
  readonly type?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
  readonly headers?: unknown;
  readonly error?: unknown;
}

/** Creates a fault that a repeat does not fix. */
export function permanentFault(failure: LlmFailure, detail: string): AttemptFault {
  return {
    failure,
    detail,
    isRetryable: false,
    waitMs: undefined,
    status: undefined,
    isUnsent: false,
    words: '',
  };
}

const BROKEN = permanentFault('broken', 'The stream ended without an end mark.');

function parseRetryAfter(headers: unknown, now: number): number | undefined {
  if (!(headers instanceof Headers)) return undefined;
  const exact = headers.get('retry-after-ms');
  if (exact !== null && Number(exact) >= 0) return Number(exact);
  const seconds = headers.get('retry-after');
  if (seconds === null) return undefined;
  if (Number(seconds) >= 0) return Number(seconds) * SECOND_MS;
  const at = Date.parse(seconds);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
