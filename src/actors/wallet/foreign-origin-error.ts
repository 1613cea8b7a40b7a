import { AppError } from '../../domain/common/error.ts';
import type { JsonObject } from '../../domain/common/json.ts';

/**
 * Creates the error for a signature for another origin, or for none.
 *
 * @param sign - What to sign instead, as far as it is the same for all callers.
 */
export function foreignOriginError(
  received: string | undefined,
  own: readonly string[],
  sign: JsonObject,
): AppError {
  const reason =
    received === undefined
      ? 'The signature names no origin. Sign again with the origin of the URL that you call'
      : 'The signature is for the origin of another server';
  return new AppError('WALLET_ORIGIN', {
    message: `${reason}. Behind a proxy, the operator must set STOA_PUBLIC_URL.`,
    data: { received: received ?? null, allowed: { origin: [...own], sign } },
  });
}
