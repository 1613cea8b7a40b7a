import type { ErrorCode } from '../../domain/error.ts';
import type { LlmFailure } from '../../domain/ports/llm.ts';
import type { Gathered } from './attempt.ts';

/** Most characters of a detail. */
const DETAIL_CHARS_MAX = 200;

/** Why an attempt gave no usable text, and what may be done about it. */
export interface Fault {
  readonly failure: LlmFailure;
  readonly detail: string;
  /** The same again may help. */
  readonly isRetryable: boolean;
  /** The wait the provider asks for, in milliseconds. */
  readonly waitMs: number | undefined;
  /** HTTP status, where there was one. */
  readonly status: number | undefined;
  /** The provider took nothing on: it refused by status, or was never reached. */
  readonly isUnsent: boolean;
  /** The provider's own words, for adapting only: they may hold parts of a key. */
  readonly words: string;
}

/**
 * Judges an attempt that ended by itself; `undefined` when its text is usable. An attempt whose end
 * the provider did not announce is cut, also when nothing was thrown.
 */
export function faultOf(gathered: Gathered, thrown: unknown): Fault | undefined {
  if (thrown !== undefined) return thrownFault(gathered, thrown);
  if (gathered.stop === 'refused') return plain('refused', 'The model refused to answer.');
  if (gathered.stop === 'cut') return plain('cut', 'The answer ended before it was complete.');
  if (gathered.stop === undefined) return plain('broken', 'The stream ended without an end.');
  if (gathered.text.trim() === '') return plain('provider_error', 'The answer is empty.');
  return undefined;
}

// Codes of a connection that never stood: nothing was sent, so nothing was billed.
const UNREACHED =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|E(HOST|NET)UNREACH|UND_ERR_CONNECT_TIMEOUT)$|CERT|_TLS_/;

// The name of an error; what else stands in its place may be the key that was refused.
const VENDOR_WORD = /^[a-z]+(_[a-z]+)*$/;

function isVendorWord(part: unknown): part is string {
  return typeof part === 'string' && VENDOR_WORD.test(part);
}

function thrownFault(gathered: Gathered, thrown: unknown): Fault {
  const facts = thrown as ProviderError;
  const status = typeof facts.status === 'number' ? facts.status : undefined;
  const kind = [facts.type, facts.code].find(isVendorWord);
  const words = typeof facts.message === 'string' ? facts.message : '';
  if (status === undefined) return connectionFault(gathered, facts);
  const isOutOfQuota = facts.code === 'insufficient_quota';
  const detail = `HTTP ${status}${kind === undefined ? '' : ` (${kind})`}`;
  return {
    failure: status === 429 ? 'rate_limited' : 'provider_error',
    detail: detail.slice(0, DETAIL_CHARS_MAX),
    isRetryable: (status === 429 && !isOutOfQuota) || status === 408 || status >= 500,
    waitMs: retryAfterMs(facts.headers),
    status,
    isUnsent: true,
    words,
  };
}

function connectionFault(gathered: Gathered, thrown: ProviderError): Fault {
  const name = thrown instanceof Error ? thrown.constructor.name : 'unknown';
  const isUnreadable = thrown instanceof SyntaxError || typeof thrown.type === 'string';
  if (isUnreadable) return plain('provider_error', `The stream held an error (${name}).`);
  const code = causeCode(thrown);
  if (code === ('EGRESS_TOO_LARGE' satisfies ErrorCode))
    return plain('cut', 'The answer is larger than allowed.');
  if (!gathered.hasBegun && UNREACHED.test(code)) {
    const words = `The host cannot be reached (${code}).`;
    return { ...plain('provider_error', words), isRetryable: true, isUnsent: true };
  }
  return plain('broken', `The connection broke (${code === '' ? name : code}).`);
}

function causeCode(thrown: unknown): string {
  let at = thrown as { code?: unknown; cause?: unknown } | undefined;
  for (let depth = 0; depth < 4 && at !== undefined && at !== null; depth += 1) {
    if (typeof at.code === 'string') return at.code;
    at = at.cause as typeof at;
  }
  return '';
}

// Only types, codes and statuses are shown: a provider's message may repeat the key it was given.
interface ProviderError {
  readonly status?: unknown;
  readonly type?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
  readonly headers?: unknown;
}

function plain(failure: LlmFailure, detail: string): Fault {
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

function retryAfterMs(headers: unknown): number | undefined {
  if (!(headers instanceof Headers)) return undefined;
  const exact = Number(headers.get('retry-after-ms') ?? Number.NaN);
  if (exact >= 0) return exact;
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return seconds >= 0 ? seconds * 1_000 : undefined;
}
