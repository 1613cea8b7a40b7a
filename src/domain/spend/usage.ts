import { AppError } from '../common/error.ts';
import type { CacheConvention, ModelCall, SpendOrder } from './records.ts';

/** Tokens of a call in disjoint parts. */
export interface TokenParts {
  readonly uncached: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
}

/** A call with its token parts. */
export interface MeteredCall {
  /** Index in the order, from 0. */
  readonly index: number;
  readonly call: ModelCall;
  readonly parts: TokenParts;
}

/**
 * Splits the tokens of each call into parts by its convention.
 *
 * @throws {AppError} `INPUT_INVALID` for a call whose counts contradict its convention.
 */
export function meterCalls({ records, convention }: SpendOrder): readonly MeteredCall[] {
  return records.map((call, index) => ({
    index,
    call,
    parts: splitTokens(call, call.convention ?? convention, index),
  }));
}

/** Returns the total tokens of a call. */
export function sumTokens({ uncached, cacheRead, cacheWrite, output }: TokenParts): number {
  return uncached + cacheRead + cacheWrite + output;
}

/** Sums token parts. */
export function sumTokenParts(all: readonly TokenParts[]): TokenParts {
  const none: TokenParts = { uncached: 0, cacheRead: 0, cacheWrite: 0, output: 0 };
  return all.reduce(
    (sum, parts) => ({
      uncached: sum.uncached + parts.uncached,
      cacheRead: sum.cacheRead + parts.cacheRead,
      cacheWrite: sum.cacheWrite + parts.cacheWrite,
      output: sum.output + parts.output,
    }),
    none,
  );
}

function splitTokens(call: ModelCall, convention: CacheConvention, index: number): TokenParts {
  const { input_tokens: input, output_tokens: output } = call;
  const { cache_read_tokens: cacheRead, cache_write_tokens: cacheWrite } = call;
  const excludesCached = convention === 'anthropic';
  const uncached = excludesCached ? input : input - cacheRead - cacheWrite;
  if (uncached < 0) {
    throw invalidRecord(index, `${convention} counts cached tokens inside input_tokens`, {
      input_tokens: input,
      cache_read_tokens: cacheRead,
      cache_write_tokens: cacheWrite,
    });
  }
  if ((call.reasoning_tokens ?? 0) > output) {
    throw invalidRecord(index, 'reasoning_tokens are part of output_tokens', {
      output_tokens: output,
      reasoning_tokens: call.reasoning_tokens,
    });
  }
  return { uncached, cacheRead, cacheWrite, output };
}

function invalidRecord(index: number, why: string, received: object): AppError {
  return new AppError('INPUT_INVALID', {
    message: `records[${index}]: ${why}.`,
    data: { path: `records.${index}`, received, allowed: why },
  });
}
